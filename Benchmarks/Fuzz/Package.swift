// swift-tools-version: 6.1
import PackageDescription

// A package of its own, because everything that it builds is instrumented for the fuzzer, which brings its own `main`.
// The dashboard is a product only for this package: `fuzz` sets CHAINVIEW_FUZZ (see ../../Package.swift).
let package = Package(
    name: "Fuzz",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "chainview", path: "../..")],
    targets: [
        .executableTarget(
            name: "WireFuzzer",
            dependencies: [
                .product(name: "ChainInspector", package: "chainview"),
                .product(name: "Dashboard", package: "chainview"),
            ],
            swiftSettings: [.unsafeFlags(["-parse-as-library"])])
    ],
    swiftLanguageModes: [.v6]
)

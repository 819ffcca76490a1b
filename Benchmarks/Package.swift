// swift-tools-version: 6.1
// SPDX-License-Identifier: MIT
import PackageDescription

// A package of its own, so that it measures the libraries as a user's module sees them, and so that users of chainview do
// not fetch the packages of the comparison.
let package = Package(
    name: "Benchmarks",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(name: "chainview", path: ".."),
        .package(path: "Counts"),
        .package(url: "https://github.com/OpenCombine/OpenCombine", exact: "0.14.0"),
        .package(url: "https://github.com/apple/swift-nio", exact: "2.101.2"),
    ],
    targets: [
        .target(name: "Calibration", path: "Calibration"),
        .executableTarget(
            name: "bench",
            dependencies: [
                "Calibration",
                .product(name: "CHeap", package: "Counts"),
                .product(name: "Workloads", package: "Counts"),
                .product(name: "PromiseRuntime", package: "chainview"),
                .product(name: "ChainInspector", package: "chainview"),
                .product(name: "ChainBus", package: "chainview"),
                .product(name: "ChainTesting", package: "chainview"),
                .product(name: "OpenCombine", package: "OpenCombine"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
            ]),
    ],
    swiftLanguageModes: [.v6]
)

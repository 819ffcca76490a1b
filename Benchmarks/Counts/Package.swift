// swift-tools-version: 6.1
import PackageDescription

// What CI counts: allocations, bytes, instructions. Apart from the peers of `make bench`, which it need not fetch, and
// from the runtime, so that what is counted is what a stranger's module gets.
let package = Package(
    name: "Counts",
    platforms: [.macOS(.v15)],
    products: [
        .library(name: "Workloads", targets: ["Workloads"]),
        .library(name: "CHeap", targets: ["CHeap"]),
    ],
    dependencies: [
        .package(name: "chainview", path: "../..")
    ],
    targets: [
        .target(name: "CHeap"),
        // Replaces the process's malloc: for the program that counts alone.
        .target(name: "CCounting"),
        // The same for the program that looks for leaks: it counts what is freed, too, which would cost the other one.
        .target(name: "CLiveHeap"),
        .target(name: "Workloads", dependencies: [.product(name: "PromiseRuntime", package: "chainview")]),
        .executableTarget(
            name: "hookless",
            dependencies: ["CCounting", "Workloads", .product(name: "PromiseRuntime", package: "chainview")]),
        .executableTarget(
            name: "counts",
            dependencies: [
                "CCounting", "CHeap", "Workloads",
                .product(name: "PromiseRuntime", package: "chainview"),
                .product(name: "ChainInspector", package: "chainview"),
                .product(name: "ChainBus", package: "chainview"),
            ]),
        .executableTarget(
            name: "leaks",
            dependencies: [
                "CLiveHeap",
                .product(name: "PromiseRuntime", package: "chainview"),
                .product(name: "ChainTesting", package: "chainview"),
            ]),
    ],
    swiftLanguageModes: [.v6]
)

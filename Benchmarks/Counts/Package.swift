// swift-tools-version: 6.1
// SPDX-License-Identifier: MIT
import PackageDescription

// What CI counts: allocations, bytes, instructions. A package of its own, so that CI need not fetch the peers of
// `make bench`, and so that the runtime is counted as another module gets it.
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
        // Replaces the process's malloc, so only the programs that count link it.
        .target(name: "CCounting"),
        // The same for the program that looks for leaks: also counts what is freed, which would slow the others down.
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

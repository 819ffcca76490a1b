// swift-tools-version: 6.1
// SPDX-License-Identifier: MIT
import PackageDescription

// A package of its own, as a user's would be: a server and its client, both with tracing.
let package = Package(
    name: "orders",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(name: "chainview", path: "../..", traits: ["Tracing"]),
        .package(url: "https://github.com/hummingbird-project/hummingbird", exact: "2.28.1"),
        .package(url: "https://github.com/swift-server/async-http-client", exact: "1.37.0"),
        .package(url: "https://github.com/apple/swift-distributed-tracing", exact: "1.7.3"),
    ],
    targets: [
        .executableTarget(
            name: "warehouse",
            dependencies: [
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "Tracing", package: "swift-distributed-tracing"),
                .product(name: "PromiseRuntime", package: "chainview"),
                .product(name: "ChainInspector", package: "chainview"),
                .product(name: "ChainTracing", package: "chainview"),
            ]),
        .executableTarget(
            name: "shop",
            dependencies: [
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "Tracing", package: "swift-distributed-tracing"),
                .product(name: "PromiseRuntime", package: "chainview"),
                .product(name: "ChainInspector", package: "chainview"),
                .product(name: "ChainTracing", package: "chainview"),
            ]),
    ],
    swiftLanguageModes: [.v6]
)

// swift-tools-version: 6.1
// SPDX-License-Identifier: MIT
import PackageDescription

// A package of its own, because it shows how a user's package depends on chainview: by its products only.
let package = Package(
    name: "server",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(name: "chainview", path: "../.."),
        .package(url: "https://github.com/swhitty/FlyingFox", exact: "0.27.1"),
    ],
    targets: [
        .target(
            name: "ShopService",
            dependencies: [
                .product(name: "PromiseRuntime", package: "chainview"),
                .product(name: "FlyingFox", package: "FlyingFox"),
                .product(name: "FlyingSocks", package: "FlyingFox"),
            ],
            resources: [.copy("Data")]),
        .executableTarget(
            name: "server",
            dependencies: ["ShopService", .product(name: "ChainInspector", package: "chainview")]),
        .testTarget(
            name: "ShopServiceTests",
            dependencies: [
                "ShopService", "server",
                .product(name: "PromiseRuntime", package: "chainview"),
                .product(name: "ChainInspector", package: "chainview"),
                .product(name: "FlyingFox", package: "FlyingFox"),
            ]),
    ],
    swiftLanguageModes: [.v6]
)

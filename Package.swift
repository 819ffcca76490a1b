// swift-tools-version: 6.1
// SPDX-License-Identifier: MIT
import PackageDescription

// Homebrew's folder on Apple silicon, in which the compiler does not look by itself. Only for targets that no product
// needs, because Swift's package manager refuses products of dependencies with unsafe flags.
let homebrewHeaders: [CSetting] = [.unsafeFlags(["-I/opt/homebrew/include"], .when(platforms: [.macOS]))]
let homebrewLibraries: [LinkerSetting] = [.unsafeFlags(["-L/opt/homebrew/lib"], .when(platforms: [.macOS]))]

// What a user's program links (PromiseRuntime, ChainInspector) depends on the toolchain alone; every package named
// below serves the viewer or the tests. ARCHITECTURE.md has the table of allowed imports.
//
// The command is no product here: Swift's package manager fetches what a dependency's products need, so a user of the
// libraries would get the command's packages, too. It makes a product of it by itself where this package is built.
let package = Package(
    name: "chainview",
    platforms: [.macOS(.v15)],
    products: [
        .library(name: "PromiseRuntime", targets: ["PromiseRuntime"]),
        .library(name: "PromiseFoundation", targets: ["PromiseFoundation"]),
        .library(name: "ChainInspector", targets: ["ChainInspector"]),
        .library(name: "ChainEvents", targets: ["ChainEvents"]),
        .library(name: "ChainTesting", targets: ["ChainTesting"]),
        .library(name: "ChainBus", targets: ["ChainBus"]),
        .library(name: "ChainTracing", targets: ["ChainTracing"]),
        .library(name: "ChainTasks", targets: ["ChainTasks"]),
        // Preloaded by `chainview run --tasks`.
        .library(name: "ChainPreload", type: .dynamic, targets: ["ChainPreload"]),
    ],
    traits: [
        .trait(name: "Tracing", description: "Product ChainTracing: spans of swift-distributed-tracing in the tree.")
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", exact: "1.8.2"),
        .package(url: "https://github.com/LebJe/TOMLKit", exact: "0.6.0"),
        // Fetched under the trait Tracing only. A range, because programs that trace have a version of their own.
        .package(url: "https://github.com/apple/swift-distributed-tracing", from: "1.7.3"),
    ],
    targets: [
        // The embedded part: linked into the observed program.
        .target(name: "CChainRuntime"),
        .target(name: "ChainSystem", dependencies: ["CChainRuntime"]),
        .target(name: "ChainEvents", dependencies: ["CChainRuntime"]),
        .target(name: "PromiseRuntime", dependencies: ["ChainEvents", "ChainSystem", "CChainRuntime"]),
        .target(name: "ChainBus", dependencies: ["ChainSystem"]),
        .target(name: "ChainModel", dependencies: ["ChainEvents", "CChainRuntime"]),
        .target(name: "ChainWire", dependencies: ["ChainEvents"]),
        .target(
            name: "ChainRecording",
            dependencies: ["ChainEvents", "ChainModel", "ChainWire", "ChainSystem", "CChainRuntime"]),
        .target(
            name: "ChainInspector",
            dependencies: [
                "PromiseRuntime", "ChainEvents", "ChainBus", "ChainModel", "ChainWire", "ChainRecording", "ChainSystem",
                "CChainRuntime",
            ]),

        // For programs that trace; empty without the trait.
        .target(
            name: "ChainTracing",
            dependencies: [
                "PromiseRuntime", "ChainEvents", "ChainSystem",
                .product(name: "Tracing", package: "swift-distributed-tracing", condition: .when(traits: ["Tracing"])),
            ]),

        // The Swift tasks; it interposes functions of the runtime where it is linked.
        .target(name: "CChainTasks", dependencies: ["CChainRuntime"]),
        .target(
            name: "ChainTasks",
            dependencies: [
                "CChainTasks", "CChainRuntime", "ChainInspector", "PromiseRuntime", "ChainEvents", "ChainSystem",
            ]),

        .target(name: "CChainPreload", exclude: ["exports.map"]),
        .target(
            name: "ChainPreload", dependencies: ["CChainPreload", "CChainRuntime", "ChainTasks", "ChainInspector"],
            // Flags that SwiftPM refuses in products of dependencies; nothing depends on this one.
            linkerSettings: [
                .unsafeFlags(
                    [
                        "-Xlinker",
                        "--version-script=\(Context.packageDirectory)/Sources/Tasks/CChainPreload/exports.map",
                    ],
                    .when(platforms: [.linux]))
            ]),

        // For programs that have Foundation anyway.
        .target(name: "PromiseFoundation", dependencies: ["PromiseRuntime"]),

        // Packs recordings; not for what is embedded.
        .target(
            name: "CZstd", cSettings: homebrewHeaders, linkerSettings: homebrewLibraries + [.linkedLibrary("zstd")]),
        .target(name: "ChainZstd", dependencies: ["CZstd", "ChainRecording", "ChainSystem"]),

        // The viewer.
        .target(name: "ChainSource", dependencies: ["ChainBus", "ChainEvents"]),
        .target(
            name: "ChainAttach",
            dependencies: ["ChainSource", "ChainBus", "ChainEvents", "ChainWire", "ChainSystem"]),
        // Swift tasks of programs that were not prepared.
        .target(name: "CChainOutside"),
        .target(
            name: "ChainOutside",
            dependencies: ["CChainOutside", "CChainRuntime", "ChainSource", "ChainBus", "ChainEvents", "ChainSystem"]),
        .target(name: "ChainInsight", dependencies: ["ChainModel", "ChainEvents"]),
        .target(name: "Frames"),
        .target(name: "ChainText", dependencies: ["ChainModel", "ChainEvents", "Frames"]),
        .target(
            name: "ChainRows",
            dependencies: ["ChainText", "ChainModel", "ChainInsight", "ChainEvents", "CChainRuntime"]),
        .target(
            name: "ChainListing",
            dependencies: ["ChainRows", "ChainText", "ChainModel", "ChainInsight", "ChainEvents", "Frames"]),
        // What `chainview export` writes: pure writers over nodes.
        .target(
            name: "ChainExport",
            dependencies: [
                "ChainListing", "ChainRows", "ChainText", "ChainModel", "ChainInsight", "ChainEvents", "Frames",
            ]),
        .target(
            name: "Dashboard",
            dependencies: [
                "ChainListing", "ChainRows", "ChainText", "ChainModel", "ChainInsight", "ChainEvents", "ChainBus",
                "Frames",
            ]),
        .target(
            name: "CTerminal",
            linkerSettings: [
                .linkedLibrary("ncursesw", .when(platforms: [.linux])),
                .linkedLibrary("tinfo", .when(platforms: [.linux])),
                .linkedLibrary("ncurses", .when(platforms: [.macOS])),
            ]),
        .target(name: "Terminal", dependencies: ["Frames", "CTerminal"]),
        .executableTarget(
            name: "chainview",
            dependencies: [
                "PromiseRuntime", "ChainEvents", "ChainBus", "ChainModel", "ChainInspector", "ChainSource",
                "ChainAttach", "ChainOutside", "ChainInsight", "ChainListing", "ChainRecording", "ChainRows",
                "ChainWire",
                "ChainSystem", "ChainText", "ChainZstd", "Frames", "Dashboard", "Terminal", "Demos", "ChainExport",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "TOMLKit", package: "TOMLKit"),
            ]),

        // For users' tests, and the demos.
        .target(
            name: "ChainTesting",
            dependencies: ["PromiseRuntime", "ChainEvents", "ChainModel", "ChainRecording", "ChainSystem"]),
        .target(name: "Demos", dependencies: ["PromiseRuntime", "ChainBus"], path: "demos/programs"),

        // What figures are compared with.
        .target(name: "Calibration", path: "Benchmarks/Calibration"),
        // Figures of attaching: in this package, because they use targets that are no products.
        .executableTarget(
            name: "AttachBench",
            dependencies: [
                "Calibration", "PromiseRuntime", "ChainInspector", "ChainAttach", "ChainSource", "ChainModel",
                "ChainEvents",
                "ChainBus",
                "TerminalHarness",
            ],
            path: "Benchmarks/Attach"),
        // What observing tasks costs.
        .executableTarget(
            name: "TaskBench", dependencies: ["Calibration", "ChainTasks", "ChainInspector"],
            path: "Benchmarks/Tasks"),
        // What reading tasks from outside costs.
        .executableTarget(
            name: "OutsideBench", dependencies: ["Calibration", "ChainOutside", "ChainSource", "ChainEvents"],
            path: "Benchmarks/Outside"),
        // Figures of the screen.
        .target(name: "CMemory", path: "Benchmarks/Screen/CMemory"),
        .executableTarget(
            name: "ScreenBench",
            dependencies: [
                "Calibration", "CMemory", "Dashboard", "ChainInsight", "ChainRecording", "ChainZstd", "ChainModel",
                "ChainEvents",
                "Frames",
            ],
            path: "Benchmarks/Screen", exclude: ["CMemory"]),

        // Tests.
        .target(
            name: "CVirtualTerminal", cSettings: homebrewHeaders,
            linkerSettings: homebrewLibraries + [
                .linkedLibrary("vterm"), .linkedLibrary("util", .when(platforms: [.linux])),
            ]),
        .target(name: "TestWaits"),
        .target(name: "TerminalHarness", dependencies: ["CVirtualTerminal", "TestWaits"]),
        .executableTarget(name: "ScreenProbe", dependencies: ["Terminal", "Frames"]),
        .target(name: "PlainPainter", dependencies: ["Terminal", "Frames"]),
        // Whether memory grows under load: `make growth`.
        .executableTarget(
            name: "GrowthProbe",
            dependencies: ["CMemory", "ChainInspector", "Dashboard", "Demos", "PromiseRuntime", "TerminalHarness"]),
        .target(name: "GoldenSupport", dependencies: ["Frames"]),
        .target(name: "SeededNumbers"),
        .target(name: "CFork"),
        .target(name: "ThreadTime"),
        .target(name: "EventScripts", dependencies: ["ChainModel", "ChainEvents", "SeededNumbers"]),
        .executableTarget(name: "AttachProbe", dependencies: ["ChainAttach", "ChainInspector", "PromiseRuntime"]),
        .testTarget(
            name: "ChainAttachTests",
            dependencies: [
                "ChainAttach", "ChainInspector", "ChainModel", "ChainSystem", "PromiseRuntime", "TerminalHarness",
                "TestWaits", "AttachProbe",
            ]),
        .testTarget(name: "ChainBusTests", dependencies: ["ChainBus", "SeededNumbers", "TestWaits"]),
        .testTarget(name: "ChainSystemTests", dependencies: ["ChainSystem"]),
        .testTarget(name: "ChainEventsTests", dependencies: ["ChainEvents"]),
        .executableTarget(name: "ForkProbe", dependencies: ["CFork", "ChainInspector", "PromiseRuntime"]),
        .target(name: "AttachHarness", dependencies: ["ChainWire", "ChainModel", "ChainEvents"]),
        .executableTarget(
            name: "ServerProbe", dependencies: ["CFork", "ChainInspector", "PromiseRuntime", "AttachHarness"]),
        .testTarget(
            name: "ChainInspectorTests",
            dependencies: [
                "AttachHarness", "ChainInspector", "ChainModel", "ChainRecording", "ChainSystem", "ChainWire",
                "PromiseRuntime", "TerminalHarness", "TestWaits", "ForkProbe", "ServerProbe", "SeededNumbers",
            ]),
        .testTarget(
            name: "ChainInsightTests",
            dependencies: ["ChainInsight", "ChainModel", "ChainEvents", "EventScripts", "SeededNumbers", "ThreadTime"]),
        .testTarget(name: "ChainModelTests", dependencies: ["ChainModel", "EventScripts", "SeededNumbers"]),
        .testTarget(
            name: "ChainRowsTests",
            dependencies: [
                "ChainRows", "ChainInsight", "ChainModel", "ChainEvents", "EventScripts", "SeededNumbers", "ThreadTime",
            ]),
        .testTarget(
            name: "ChainExportTests",
            dependencies: [
                "ChainExport", "ChainInsight", "ChainListing", "ChainModel", "ChainEvents", "EventScripts",
                "GoldenSupport", "SeededNumbers",
            ],
            exclude: ["Golden"]),
        .testTarget(
            name: "ChainRecordingTests",
            dependencies: [
                "ChainRecording", "ChainWire", "ChainModel", "ChainEvents", "ChainSystem", "ChainZstd", "EventScripts",
                "GoldenSupport", "SeededNumbers", "TerminalHarness",
            ],
            exclude: ["Golden"]),
        .testTarget(
            name: "ChainTestingTests",
            dependencies: ["ChainTesting", "ChainModel", "ChainEvents", "ChainRecording", "PromiseRuntime"]),
        // Empty without the trait: `make tracing` runs it.
        .testTarget(
            name: "ChainTracingTests",
            dependencies: [
                "ChainTracing", "ChainTesting", "ChainInspector", "ChainModel", "ChainEvents", "PromiseRuntime",
                .product(name: "Tracing", package: "swift-distributed-tracing", condition: .when(traits: ["Tracing"])),
                .product(
                    name: "InMemoryTracing", package: "swift-distributed-tracing",
                    condition: .when(traits: ["Tracing"])),
            ]),
        // A program with tasks of every kind.
        .executableTarget(
            name: "TaskProbe",
            dependencies: [
                "CFork", "ChainTasks", "ChainTracing", "ChainInspector", "PromiseRuntime", "ChainEvents",
                .product(name: "Tracing", package: "swift-distributed-tracing", condition: .when(traits: ["Tracing"])),
            ]),
        .testTarget(
            name: "ChainTasksTests", dependencies: ["ChainTasks", "CChainTasks", "TaskProbe", "TerminalHarness"]),
        .testTarget(
            name: "ChainWireTests",
            dependencies: [
                "ChainWire", "ChainEvents", "ChainRecording", "ChainZstd", "ChainSystem", "EventScripts", "ChainModel",
                "ChainInspector", "PromiseRuntime", "GoldenSupport",
                "SeededNumbers", "TerminalHarness",
            ],
            exclude: ["Golden", "read_chains.py", "read_columns.py"]),
        .executableTarget(name: "CommandProbe", dependencies: ["ChainInspector", "PromiseRuntime"]),
        // These know nothing of chainview.
        .executableTarget(name: "PlainTasks"),
        .executableTarget(name: "PlainServer"),
        // It knows its own tasks, threads and locks, and nothing of chainview.
        .executableTarget(name: "OutsideProbe"),
        .testTarget(
            name: "ChainOutsideTests",
            dependencies: [
                "ChainOutside", "ChainEvents", "ChainSystem", "OutsideProbe", "SeededNumbers", "TerminalHarness",
                "TestWaits",
            ]),
        .testTarget(
            name: "chainviewTests",
            dependencies: [
                "PlainTasks", "PlainServer", "TaskProbe", "OutsideProbe", "chainview", "ChainBus", "ChainEvents",
                "ChainOutside",
                "ChainRows",
                "ChainSource", "Dashboard", "Frames", "TerminalHarness", "CommandProbe", "ChainAttach", "ChainModel",
                "ChainRecording", "ChainInspector", "PromiseRuntime", "EventScripts", "SeededNumbers", "TestWaits",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ]),
        .testTarget(
            name: "DashboardTests",
            dependencies: [
                "Dashboard", "ChainInsight", "ChainListing", "ChainRows", "ChainText", "EventScripts", "GoldenSupport",
                "SeededNumbers",
            ],
            exclude: ["Golden"]),
        // Compiles the examples of the documentation, with the modules that it links.
        .testTarget(
            name: "DocumentationTests",
            dependencies: [
                "PromiseRuntime", "PromiseFoundation", "ChainInspector", "ChainTasks", "ChainTesting", "ChainBus",
                "ChainTracing",
            ],
            exclude: ["World"]),
        .testTarget(name: "FramesTests", dependencies: ["Frames", "GoldenSupport", "SeededNumbers", "ThreadTime"]),
        .testTarget(
            name: "PromiseFoundationTests",
            dependencies: ["PromiseFoundation", "PromiseRuntime", "ChainTesting", "TestWaits"]),
        .testTarget(
            name: "PromiseRuntimeTests",
            dependencies: ["PromiseRuntime", "ChainTesting", "ChainInspector", "SeededNumbers", "TestWaits"]),
        .testTarget(
            name: "DemosTests",
            dependencies: [
                "Demos", "ChainInsight", "ChainInspector", "ChainModel", "ChainTesting", "Dashboard", "GoldenSupport",
                "TestWaits",
            ],
            exclude: ["Golden"]),
        .testTarget(
            name: "SoakTests",
            dependencies: [
                "Dashboard", "Terminal", "Frames", "ChainModel", "ChainEvents", "PlainPainter", "SeededNumbers",
                "TerminalHarness",
            ]),
        .testTarget(
            name: "TerminalTests",
            dependencies: ["Terminal", "Frames", "PlainPainter", "SeededNumbers", "TerminalHarness", "ScreenProbe"]),
        // What a user can write with each product: public declarations alone, as from another package.
        .testTarget(
            name: "PromiseRuntimeUseTests", dependencies: ["PromiseRuntime", "UserNames"],
            path: "Tests/Products/PromiseRuntime", packageAccess: false),
        .target(name: "UserNames", packageAccess: false),
        .testTarget(
            name: "PromiseFoundationUseTests", dependencies: ["PromiseFoundation", "PromiseRuntime"],
            path: "Tests/Products/PromiseFoundation", packageAccess: false),
        .testTarget(
            name: "ChainInspectorUseTests",
            dependencies: ["ChainInspector", "PromiseRuntime", "ChainEvents", "ChainBus"],
            path: "Tests/Products/ChainInspector", packageAccess: false),
        .testTarget(
            name: "ChainEventsUseTests", dependencies: ["ChainEvents"], path: "Tests/Products/ChainEvents",
            packageAccess: false),
        .testTarget(
            name: "ChainTestingUseTests", dependencies: ["ChainTesting", "PromiseRuntime"],
            path: "Tests/Products/ChainTesting", packageAccess: false),
        .testTarget(
            name: "ChainBusUseTests", dependencies: ["ChainBus"], path: "Tests/Products/ChainBus", packageAccess: false),
        .testTarget(name: "TidyTests"),
    ],
    swiftLanguageModes: [.v6]
)

// Folders of targets: Sources/PART/NAME, Tests/PART/NAMETests, and Tests/Support/NAME for the helpers of tests. Targets
// that are not listed are the viewer's.
let parts = [
    "Runtime": ["CChainRuntime", "ChainBus", "ChainSystem", "PromiseFoundation", "PromiseRuntime"],
    "Observe": [
        "CZstd", "ChainEvents", "ChainInspector", "ChainModel", "ChainRecording", "ChainTesting", "ChainTracing",
        "ChainWire", "ChainZstd",
    ],
    "Tasks": ["CChainOutside", "CChainPreload", "CChainTasks", "ChainOutside", "ChainPreload", "ChainTasks"],
    "Support": [
        "AttachHarness", "AttachProbe", "CFork", "CVirtualTerminal", "CommandProbe", "EventScripts", "ForkProbe",
        "GoldenSupport", "GrowthProbe", "OutsideProbe", "PlainPainter", "PlainServer", "PlainTasks", "ScreenProbe",
        "SeededNumbers", "ServerProbe", "TaskProbe", "TerminalHarness", "TestWaits", "ThreadTime", "UserNames",
    ],
]
for target in package.targets where target.path == nil {
    let subject = target.type == .test ? String(target.name.dropLast("Tests".count)) : target.name
    // Suites of no target, such as TidyTests, are in Tests, where Swift's package manager looks for them.
    guard package.targets.contains(where: { $0.name == subject }) else { continue }
    let part = parts.first { $0.value.contains(subject) }?.key ?? "Viewer"
    let root = target.type == .test || part == "Support" ? "Tests" : "Sources"
    target.path = "\(root)/\(part)/\(target.name)"
}

// The fuzzer, which `make fuzz` builds with a main function of libFuzzer's and into a folder of its own.
if Context.environment["CHAINVIEW_FUZZ"] != nil {
    package.targets.append(
        .executableTarget(
            name: "WireFuzzer", dependencies: ["ChainWire", "ChainModel", "ChainEvents", "Dashboard", "Frames"],
            path: "Benchmarks/Fuzz", exclude: ["fuzz"], swiftSettings: [.unsafeFlags(["-parse-as-library"])]))
}

// A build for release optimises what users run, but not the suites, which takes a third less time. PromiseRuntimeTests
// are optimised because PromiseRuntime is inlined into its callers, TidyTests because they read every file. Suites are
// type-checked once, not once more for a module that nothing imports, and index no modules of the system.
let optimisedSuites = ["PromiseRuntimeTests", "TidyTests"]
for target in package.targets where target.type == .test {
    let flags = optimisedSuites.contains(target.name) ? [] : ["-Onone"]
    target.swiftSettings = [
        .unsafeFlags(
            flags + ["-no-emit-module-separately-wmo", "-index-ignore-system-modules"], .when(configuration: .release))
    ]
}

// With CHAINVIEW_TARGETS="ChainBusTests ChainWireTests" the package consists of these targets and of what they depend on:
// a sanitizer or an optimised build then compiles only the suites that it runs.
if let names = Context.environment["CHAINVIEW_TARGETS"], !names.isEmpty {
    var kept: Set<String> = []
    var keptPackages: Set<String> = []
    var pending = names.split(whereSeparator: { " ,|".contains($0) }).map(String.init)
    while let name = pending.popLast() {
        guard kept.insert(name).inserted else { continue }
        guard let target = package.targets.first(where: { $0.name == name }) else {
            fatalError("CHAINVIEW_TARGETS names \(name), which is no target of Package.swift")
        }
        for dependency in target.dependencies {
            switch dependency {
            case .targetItem(let name, _), .byNameItem(let name, _): pending.append(name)
            case .productItem(_, let package, _, _): keptPackages.insert(package ?? "")
            default: break
            }
        }
    }
    package.targets.removeAll { !kept.contains($0.name) }
    package.products.removeAll { product in
        !((product as? Product.Library)?.targets.allSatisfy { kept.contains($0) } ?? false)
    }
    package.dependencies.removeAll { dependency in
        guard case .sourceControl(_, let location, _) = dependency.kind else { return false }
        return !keptPackages.contains { location.hasSuffix("/\($0)") }
    }
}

// SPDX-License-Identifier: MIT

import ArgumentParser

/// `chainview flags`: flags with which Swift's package manager builds a program to observe.
struct Flags: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Prints flags for building a program whose tasks are to be shown.",
        discussion: """
            A program that is built with -static-stdlib or -static-executable, and links ChainTasks, shows its tasks \
            only if the linker passes calls of Swift's runtime to ChainTasks:

              swift build -static-stdlib $(chainview flags --static-tasks)

            A program that does not link ChainTasks cannot be linked with these flags. If your package has such \
            programs, too, name the one to build with --product.
            """)

    @Flag(name: .customLong("static-tasks"), help: "Print the flags for programs with a static runtime, on one line.")
    var printsStaticTasks = false

    func validate() throws {
        guard printsStaticTasks else { throw ValidationError("Give --static-tasks.") }
    }

    func run() throws {
        try Streams.print(Self.wrapped.map { "-Xlinker --wrap=\($0)" }.joined(separator: " ") + "\n")
    }

    /// The functions that `Sources/Tasks/CChainTasks/TaskHooks.c` defines as `__wrap_NAME`.
    private static let wrapped = [
        "swift_task_create", "swift_task_enterThreadLocalContext", "swift_task_exitThreadLocalContext",
        "swift_task_immediate", "swift_job_run", "swift_job_run_on_task_executor",
        "swift_job_run_on_serial_and_task_executor",
    ]
}

// SPDX-License-Identifier: MIT

import ArgumentParser
import ChainAttach
import ChainEvents

/// `chainview attach`: the dashboard on running programs.
struct Attach: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Opens the dashboard on running programs.",
        discussion: """
            A target is a pid, a name (or the beginning of one), unix:PATH, tcp:HOST:PORT, ssh:HOST/PROCESS or \
            exec:COMMAND. Several are shown in one dashboard. Without a target it attaches to the only program that can be attached to; if there \
            are several, you choose from a list.

            A program without an inspector is read from outside, on Linux: its Swift tasks, without stopping it. That \
            needs the right to trace it, as a debugger does (sudo).

            Programs are searched in $XDG_RUNTIME_DIR/chainview, and in chainview-UID in $TMPDIR or /tmp. On Linux also where \
            the environment of each of your processes says, in containers, too; root searches those of all users.

            If a program ends or hangs, its last state stays on the screen until the program is back. tcp: is for \
            programs that opened a port; their token is found if they run on this machine, else CHAINVIEW_TOKEN_FILE \
            names a file that holds it (mode 0600). ssh: needs chainview on the other machine, and a login without a \
            password; CHAINVIEW_SSH names another ssh. exec: reaches a program by any command that runs `chainview relay \
            PROCESS` beside it (without PROCESS if it is the only one there), such as exec:"kubectl exec -i pod -- \
            chainview relay". The command is split into words as by a shell, quotes and backslashes included, but runs \
            without one.

            Exit codes: 0 quit, 64 an invalid or ambiguous target, or a terminal that cannot be used, 65 another \
            version of the protocol, 66 no such program, 69 the program is gone, does not answer or has too many \
            viewers, 74 input or output failed, or another error of the system, 77 the program does not let you in.
            """)

    @Argument(help: ArgumentHelp("The program to attach to.", valueName: "target"), completion: Completions.targets)
    var names: [String] = []

    @Flag(help: "Wait until each target runs.")
    var wait = false

    @OptionGroup var symbols: SymbolOptions

    @OptionGroup var display: DisplayOptions

    func validate() throws {
        for name in names { _ = try Target(validating: name) }
        if wait, names.isEmpty { throw ValidationError("--wait needs a target: name the program to wait for.") }
    }

    func run() throws {
        let discovery = Discovery.patient
        let settings = try display.settings()
        guard !names.isEmpty else { return try settings.attachToOneOf(discovery, choosesAlways: false) }
        let targets = try names.map { try Target(validating: $0) }
        // The targets are checked before the screen opens, because an error is then one line. Targets over ssh are not
        // checked, because a second login doubles the time.
        let programs =
            try wait
            ? targets.map { ($0, .prepared($0)) } : discovery.distinct(targets, symbols: symbols.files)
        do { try settings.attach(to: programs, Discovery(), waits: wait) } catch let failure as Failure {
            // The source gives the reason for its end as a text only; probing throws the error with its exit code.
            if failure.status == .gone, let far = targets.first(where: \.isFar) { try discovery.probe(far) }
            throw failure
        }
    }
}

/// `chainview` without a command: a list of programs to choose from.
struct Pick: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Lists the programs that can be attached to, and opens the dashboard on one.", shouldDisplay: false)

    @OptionGroup var display: DisplayOptions

    func run() throws { try display.settings().attachToOneOf(Discovery(), choosesAlways: true) }
}

/// `chainview relay`: the remote end of an `ssh:` or `exec:` connection.
struct RelayCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "relay",
        abstract: "Copies bytes between a program of this machine and standard input and output.",
        shouldDisplay: false)

    @Argument(
        help: ArgumentHelp(
            "The program, by pid or name; the only one that can be attached to, without a target.", valueName: "target")
    )
    var name: String?

    func validate() throws { if let name { _ = try Target(validating: name) } }

    func run() throws {
        let target = try name.map { try Target(validating: $0) } ?? Discovery.patient.onlyTarget()
        do throws(AttachError) { try Relay.run(to: target) } catch { throw Failure(error) }
    }
}

extension Settings {
    /// Opens the dashboard on programs, each with the target that it was found by.
    func attach(
        to programs: [(target: Target, program: RunningProgram)], _ discovery: Discovery, waits: Bool = false
    ) throws {
        for (_, program) in programs {
            if let notice = program.notice { Streams.printError(notice) }
        }
        try show(sources(programs, discovery, waits: waits))
    }

    private func sources(
        _ programs: [(target: Target, program: RunningProgram)], _ discovery: Discovery, waits: Bool = false
    ) -> [NamedSource] {
        var options = AttachOptions(discovery: discovery)
        options.isReadOnly = isReadOnly
        options.waits = waits
        options.viewerName = DisplayOptions.viewer
        return programs.map {
            NamedSource(name: $0.target.description, source: $0.program.source(options, readsMemory: true))
        }
    }

    /// Opens the dashboard on the only program that can be attached to, or on a program that the user chooses from a
    /// list.
    ///
    /// - Parameter choosesAlways: whether the list is shown even for one program; if there is no terminal, the list is
    ///   printed.
    /// - Throws: ``Failure`` without a terminal, unless `choosesAlways` is true or exactly one program can be attached
    ///   to.
    func attachToOneOf(_ discovery: Discovery, choosesAlways: Bool) throws {
        if isHeadless || !choosesAlways {
            let found = try discovery.found()
            let attachable = found.filter { $0.problem == nil }
            if choosesAlways { return try ProcessList.print(found.map(\.listed), charset: glyphs.charset) }
            if attachable.count == 1 {
                let target = attachable[0].target
                return try attach(to: [(target, .prepared(target))], discovery)
            }
            if isHeadless { throw Failure(attachableCount: attachable.count) }
        }
        let screen = try openScreen()
        switch try PickerSession(screen: screen, discovery: discovery, settings: self).run() {
        case .quit: screen.close()
        case .ended(let signal):
            screen.close()
            Signals.raiseAgain(signal)
        case .chosen(let target):
            let program: RunningProgram
            do { program = try RunningProgram(target, discovery) } catch {
                screen.close()
                throw error
            }
            try show(sources([(target, program)], discovery), on: screen)
        }
    }
}

extension Failure {
    /// Makes the failure to find the only program that can be attached to.
    fileprivate init(attachableCount count: Int) {
        self =
            count == 0
            ? Failure(status: .noInput, message: "there is no program to attach to.")
            : Failure(
                status: .usage,
                message: "\(count) programs can be attached to: name one (`chainview ps` lists them).")
    }
}

extension Discovery {
    /// Returns the only program that can be attached to.
    fileprivate func onlyTarget() throws -> Target {
        let attachable = try found().filter { $0.problem == nil }
        guard attachable.count == 1 else { throw Failure(attachableCount: attachable.count) }
        return attachable[0].target
    }

    /// Returns the programs that the targets lead to, each once. If a pid and a name or address lead to one
    /// program, the pid is left out, because the name or address leads to the program's next run, too. Targets over ssh
    /// are all kept.
    fileprivate func distinct(
        _ targets: [Target], symbols: [String]
    ) throws -> [(target: Target, program: RunningProgram)] {
        var indices: [ProcessKey: Int] = [:]
        var kept: [(target: Target, program: RunningProgram)] = []
        for target in targets {
            let program = try RunningProgram(target, self, symbols: symbols)
            guard !target.isFar else {
                kept.append((target, program))
                continue
            }
            let process: ProcessKey
            switch program {
            case .prepared: process = try probe(target)
            case .outside(let outside, _): process = ProcessKey(rawValue: UInt64(UInt32(bitPattern: outside.pid)))
            }
            if let index = indices[process] {
                if case .pid = kept[index].target { kept[index] = (target, program) }
            } else {
                indices[process] = kept.count
                kept.append((target, program))
            }
        }
        return kept
    }
}

// SPDX-License-Identifier: MIT

import ChainEvents
import ChainRecording
import ChainZstd
import Dashboard
import Terminal

// Performs the effects of the dashboard.
extension Session {
    func perform(_ effect: Effect) {
        switch effect {
        // Ignored for a recording, because there is no program to send to.
        case .send(_, _) where histories == nil, .requestSnapshot(_) where histories == nil: break
        case .send(let source, let command): feeds[source.rawValue].send(command)
        case .requestSnapshot(let source): feeds[source.rawValue].requestSnapshot()
        case .replay(_, let command): replayer.perform(command)
        case .record(let source, let path): toggleRecording(of: source, into: path)
        case .redraw:
            screen.redraw()
            drawnRevision = nil
        case .quit: isOver = true
        case .suspend:
            attempt("suspend") { try screen.suspend() }
            replayer.skipPause()
        case .toggleOutput: toggleOutput()
        case .bell: attempt("ring the bell") { try screen.ringBell() }
        // Ignored for a recording, because the command was run, if at all, when the recording was made.
        case .alert where histories == nil: break
        case .alert(let notice): if let problem = alertCommand?.run(notice) { dispatch(.report(problem)) }
        case .copy(let text): copy(text)
        case .save(let path, let content, let overwrites):
            background.start("chainview.save", isAwaited: true) {
                let result = SavedFile(path: path).write(content, overwrites: overwrites)
                return { $0.dispatch(result) }
            }
        case .openEditor(let site): openEditor(site)
        }
    }

    private func attempt(_ what: String, _ action: () throws -> Void) {
        do { try action() } catch { dispatch(.report("cannot \(what): \(error)")) }
    }

    /// Sends a text to the terminal's clipboard. Inside tmux also sends it to tmux, which as shipped ignores the
    /// terminal's sequence.
    private func copy(_ text: String) {
        attempt("copy") { try screen.setClipboard(text) }
        guard TmuxBuffer.isInTmux else { return }
        background.start("chainview.tmux") {
            let problem = TmuxBuffer.load(text)
            return { session in if let problem { session.dispatch(.report(problem)) } }
        }
    }

    /// Reads all of a recording on another thread, and reports its damage, which the shown moment may not touch.
    func findDamage(_ path: String) {
        background.start("chainview.check") {
            let found = (try? RecordingFile(path: path, codec: Zstandard())).map { file in
                file.readAll()
                return file.damage
            }
            return { $0.replayer.note(found ?? []) }
        }
    }

    private func toggleOutput() {
        guard let output else {
            return dispatch(.report("no output: only `chainview run PROGRAM` shows a program's output"))
        }
        output.isShown.toggle()
        if output.isShown, output.rows(on: screen.size) == 0 {
            dispatch(.report("the screen has too few rows for the output of \(output.program)"))
        }
        dispatch(.resized(dashboardSize))
    }

    /// Searches for the file of a call site on another thread, and opens the editor on it.
    private func openEditor(_ site: CodeLocation) {
        guard !isFindingFile else { return dispatch(.report("still looking for a file: its disk does not answer")) }
        isFindingFile = true
        dispatch(.message("looking for \(site.fileName)\(glyphs.ellipsis)"))
        background.start("chainview.find") {
            let editor = Editor()
            let file = editor.find(site)
            return { session in
                session.isFindingFile = false
                session.edit(file, at: site, in: editor)
            }
        }
    }

    private func edit(_ file: String?, at site: CodeLocation, in editor: Editor) {
        guard !isOver else { return }
        guard let file else {
            let isDemo = store.withState { $0.options.caption != nil }
            return dispatch(
                .report(
                    isDemo
                        ? "its source is demos/programs/\(site.fileName) in chainview's repository: start it there"
                        : "no file \(site.fileName) below this folder: start chainview in the folder of the sources"))
        }
        // The editor would take the rest of what is being typed.
        if store.withState({ $0.isTyping }) { return dispatch(.report("\(site.fileName) is found: e opens it")) }
        screen.close()
        let failure = editor.open(file, line: Int(site.line))
        replayer.skipPause()
        do {
            screen = try Screen(options: screenOptions)
        } catch {
            isOver = true
            self.failure = Failure(
                status: .inputOutput, message: "cannot open the screen again after the editor: \(error)")
            return
        }
        drawnRevision = nil
        dispatch(.resized(dashboardSize))
        if let failure { dispatch(.report(failure)) }
    }
}

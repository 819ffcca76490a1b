import ChainEvents
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
        case .replay(let source, let command): replay(command, from: source)
        case .record(let source, let path): toggleRecording(of: source, into: path)
        case .redraw:
            screen.redraw()
            drawnRevision = nil
        case .quit: isOver = true
        case .suspend:
            attempt("suspend") { try screen.suspend() }
            playback?.skipPause()
        case .toggleOutput: toggleOutput()
        case .bell: attempt("ring the bell") { try screen.ringBell() }
        // Ignored for a recording, because the command was run, if at all, when the recording was made.
        case .alert where histories == nil: break
        case .alert(let notice): if let problem = alertCommand?.run(notice) { dispatch(.report(problem)) }
        case .copy(let text): attempt("copy") { try screen.setClipboard(text) }
        case .save(let path, let content, let overwrites):
            dispatch(SavedFile(path: path).write(content, overwrites: overwrites))
        case .openEditor(let site): openEditor(site)
        }
    }

    private func attempt(_ what: String, _ action: () throws -> Void) {
        do { try action() } catch { dispatch(.report("cannot \(what): \(error)")) }
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

    private func openEditor(_ site: CodeLocation) {
        let editor = Editor()
        guard let file = editor.find(site) else {
            dispatch(
                .report("no file \(site.fileName) below this folder: start chainview in the folder of the sources"))
            return
        }
        screen.close()
        let failure = editor.open(file, line: Int(site.line))
        playback?.skipPause()
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

import Foundation
import TerminalHarness
import Testing

/// A stopped program, as by SIGSTOP or in a debugger, does not answer, and does not delay commands to others.
@Suite(.serialized, .onItsOwnThread) struct StoppedProgramTests {
    private func stop(_ probe: Probe) {
        kill(probe.pid, SIGSTOP)
        var info = siginfo_t()
        while waitid(P_PID, id_t(probe.pid), &info, WSTOPPED | WEXITED | WNOWAIT) < 0, errno == EINTR {}
    }

    /// The tests of discovery check, on a clock that stands still, that no answer is waited for.
    @Test func othersAreFoundByName() throws {
        let place = Place()
        let (shop, stock) = (try place.probe("shop"), try place.probe("stock"))
        try shop.tell("chain order 17")
        stop(stock)
        let tree = try place.run("ps shop")
        #expect(tree.status == 0 && tree.output.contains("order 17"), "\(tree)")
        let cancel = try place.run("cancel shop 999999")
        #expect(cancel.status == 77, "\(cancel)")
        let viewer = try place.view("attach", "shop")
        try viewer.see("order 17")
        try viewer.quit()
        #if os(Linux)
            let list = try place.run("ps")
            #expect(list.output.contains("process \(stock.pid) is stopped"), "\(list)")
        #endif
    }

    #if os(Linux)
        @Test func aStoppedProgramIsReported() throws {
            let place = Place()
            let stock = try place.probe("stock")
            stop(stock)
            for target in ["stock", "sto", "\(stock.pid)", "unix:\(place.path)/chainview/\(stock.pid).sock"] {
                for command in ["ps \(target)", "ps \(target) --json", "cancel \(target) 1", "attach \(target)"] {
                    let outcome = try place.run(command)
                    #expect(outcome.status == 69 && outcome.output == "", "\(command): \(outcome)")
                    #expect(outcome.errors.contains("process \(stock.pid) is stopped"), "\(command): \(outcome)")
                    #expect(outcome.errors.filter { $0 == "\n" }.count == 1, "\(command): \(outcome)")
                }
            }
            kill(stock.pid, SIGCONT)
            #expect(try place.run("ps stock").status == 0)
        }
    #endif

    @Test func aTreeHoldsWhatWasMadeJustBefore() throws {
        let place = Place()
        let probe = try place.probe()
        // The node is collected for the viewer, if the inspector's thread has not done so, which it does each 100 ms.
        for round in 1...20 {
            try probe.tell("quietly chain order \(round)")
            let json = try JSONSerialization.jsonObject(with: Data(try place.run("ps shop --json").output.utf8))
            let nodes = (json as? [String: Any])?["nodes"] as? [[String: Any]]
            #expect(nodes?.contains { $0["label"] as? String == "order \(round)" } == true)
        }
    }

    @Test(.enabled(if: geteuid() == 0, "only root can make a folder of another user's"))
    func aFolderTakenByAnotherUserIsEvaded() throws {
        let place = Place()
        let folder = place.path + "/chainview-\(geteuid())"
        #expect(mkdir(folder, 0o700) == 0 && chown(folder, 65534, 65534) == 0)
        let environment = ["XDG_RUNTIME_DIR": "", "TMPDIR": place.path]
        let probe = try Probe("shop", [], in: place, setting: environment)
        try probe.tell("chain order 17")
        func run(_ words: String) throws -> Outcome {
            try Shell.run(words, setting: place.environment.merging(environment) { $1 }, directory: place.path)
        }
        #expect(try run("ps").output.contains("shop"))
        for target in ["shop", "\(probe.pid)"] {
            let tree = try run("ps \(target)")
            #expect(tree.status == 0 && tree.output.contains("order 17"), "\(tree)")
        }
    }
}

// SPDX-License-Identifier: MIT

import ChainSystem
import Foundation
import Testing

struct FileFactsTests {
    @Test func eachProblemOfAFolderIsFound() throws {
        var name = Array("/tmp/cs-XXXXXX".utf8CString)
        let folder = String(cString: mkdtemp(&name))
        defer { try? FileManager.default.removeItem(atPath: folder) }
        #expect(FolderProblem(at: folder) == nil)
        chmod(folder, 0o755)
        #expect(FolderProblem(at: folder) == .isOpenToOthers)
        chmod(folder, 0o500)
        #expect(FolderProblem(at: folder) == .isRestricted)
        chmod(folder, 0o700)
        let (file, link) = (folder + "/file", folder + "/link")
        #expect(FileManager.default.createFile(atPath: file, contents: Data([1, 2])))
        symlink(folder, link)
        #expect(FolderProblem(at: file) == .isNoFolder)
        #expect(FolderProblem(at: link) == .isLink)
        #expect(FolderProblem(at: folder + "/none") == .missing(SystemError(code: ENOENT)))
        #expect(FolderProblem(at: "/") == (geteuid() == 0 ? .isOpenToOthers : .belongsTo(user: 0)))
        let facts = try #require(FileFacts(at: file))
        #expect(facts.isFile && facts.size == 2 && facts.isOurs && !facts.isSocket)
        #expect(fileNames(in: folder).sorted() == [".", "..", "file", "link"])
    }

    @Test(arguments: [("/a/b", "/a"), ("/a", "/"), ("a", "."), ("a/b", "a")])
    func parentsOfPaths(_ path: String, _ parent: String) {
        #expect(parentFolder(of: path) == parent)
    }

    @Test func anErrorHasTheSystemsText() {
        #expect(SystemError(code: ENOENT).description == "No such file or directory")
    }
}

// SPDX-License-Identifier: MIT

import ChainAttach
import Testing

struct TargetTests {
    @Test(arguments: [
        ("4242", Target.pid(4242)), ("checkout", .name("checkout")),
        ("unix:/tmp/a b.sock", .unix(path: "/tmp/a b.sock")),
        ("tcp:127.0.0.1:7777", .tcp(host: "127.0.0.1", port: 7777)), ("tcp:[::1]:7", .tcp(host: "::1", port: 7)),
        ("ssh:me@build-3/4242", .ssh(host: "me@build-3", process: "4242")), ("a:b", .name("a:b")),
        ("ssh:build-3/svc/blue", .ssh(host: "build-3", process: "svc/blue")), ("½", .name("½")),
        (
            "exec:kubectl exec -i pod -- chainview relay",
            .exec(program: "kubectl", arguments: ["exec", "-i", "pod", "--", "chainview", "relay"])
        ),
        ("exec:sh -c 'echo \"$x\" | wc' ''", .exec(program: "sh", arguments: ["-c", "echo \"$x\" | wc", ""])),
    ])
    func aTargetIsReadFromTextAndWrittenAsTheSameText(text: String, target: Target) throws {
        #expect(try Target(text) == target)
        #expect(target.description == text)
    }

    @Test(arguments: [
        "", "0", "99999999999", "unix:", "tcp:7777", "tcp:host:0", "tcp::7", "tcp:[]:7", "tcp:h:99999", "ssh:host",
        "ssh:/1",
        "ssh:h/", "ssh:-oX/1", "exec:", "exec: ", "exec:''", "exec:a 'b", "exec:a \"b'", "exec:a \\",
    ])
    func anInvalidTargetIsReported(text: String) {
        #expect(throws: TargetError.self) { try Target(text) }
    }

    /// As `sh` splits the same command line.
    @Test(arguments: [
        ("a  b\tc\nd ", ["a", "b", "c", "d"]), ("a'b c'd", ["ab cd"]), ("a '' \"\"", ["a", "", ""]),
        (#"a\ b \' \\ "#, ["a b", "'", #"\"#]), (#""a'b" 'a"b'"#, ["a'b", #"a"b"#]),
        (#""\"\\\$\`\x""#, [#""\$`\x"#]), (#"'\'x"#, [#"\x"#]), ("a\\\nb \\\n c", ["ab", "c"]),
        ("a|b; $c *", ["a|b;", "$c", "*"]), ("e\u{301} 'e'\u{301}", ["é", "é"]),
    ])
    func aCommandIsSplitIntoWords(line: String, words: [String]) throws {
        #expect(try Target("exec:" + line) == .exec(program: words[0], arguments: Array(words.dropFirst())))
        let target = Target.exec(program: "x", arguments: words)
        #expect(try Target(target.description) == target)
    }
}

// SPDX-License-Identifier: MIT

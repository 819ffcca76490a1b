import ChainAttach
import Testing

struct TargetTests {
    @Test(arguments: [
        ("4242", Target.pid(4242)), ("checkout", .name("checkout")),
        ("unix:/tmp/a b.sock", .unix(path: "/tmp/a b.sock")),
        ("tcp:127.0.0.1:7777", .tcp(host: "127.0.0.1", port: 7777)), ("tcp:[::1]:7", .tcp(host: "::1", port: 7)),
        ("ssh:me@build-3/4242", .ssh(host: "me@build-3", process: "4242")), ("a:b", .name("a:b")),
        ("ssh:build-3/svc/blue", .ssh(host: "build-3", process: "svc/blue")), ("½", .name("½")),
    ])
    func aTargetIsReadFromTextAndWrittenAsTheSameText(text: String, target: Target) throws {
        #expect(try Target(text) == target)
        #expect(target.description == text)
    }

    @Test(arguments: [
        "", "0", "99999999999", "unix:", "tcp:7777", "tcp:host:0", "tcp::7", "tcp:[]:7", "tcp:h:99999", "ssh:host",
        "ssh:/1",
        "ssh:h/", "ssh:-oX/1",
    ])
    func anInvalidTargetIsReported(text: String) {
        #expect(throws: TargetError.self) { try Target(text) }
    }
}

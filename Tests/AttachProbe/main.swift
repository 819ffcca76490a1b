import ChainAttach

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

// What ChainAttachTests run:
//     AttachProbe relay TARGET             the far half of ssh:

alarm(300)
guard CommandLine.arguments.count == 3 else { exit(64) }
switch CommandLine.arguments[1] {
case "relay":
    do {
        try Relay.run(to: Target(CommandLine.arguments[2]))
    } catch let error as AttachError {
        let line = Array("chainview: \(error)\n".utf8)
        _ = write(2, line, line.count)
        exit(error.kind == .notFound ? 66 : 69)
    }
default: exit(64)
}

/// The far half of `ssh:`: on the machine of the program, carries bytes between its socket and two descriptors.
public enum Relay {
    /// Connects to a process of this machine and copies both ways until one end closes. Ignores SIGPIPE from now on, in
    /// the whole process: it is for a command that does nothing else.
    ///
    /// - Parameter target: a pid or a name; what is reached over a network is refused.
    public static func run(
        to target: Target, discovery: Discovery = Discovery(), input: Int32 = 0, output: Int32 = 1
    ) throws(AttachError) {
        _ = try discovery.resolve(target)
    }
}

/// The options of an attached process.
public struct AttachOptions: Sendable {
    /// Whether commands that change the program are refused, by this side and by the program.
    public var isReadOnly = false
    /// Whether a program that is missing at first is waited for, without a time limit.
    public var waits = false
    /// Whether the source ends with the run that it attached to first, for a target by name or address, too. A program
    /// of this machine is then attached to again by its pid; any other program only until the connection is lost.
    package var endsWithRun = false
    /// The viewer's name, as the program may show it.
    public var viewerName = ""
    /// The search for the program.
    public var discovery: Discovery

    /// Makes options that allow commands and do not wait for a missing program.
    public init(discovery: Discovery = Discovery()) { self.discovery = discovery }
}

/// The rights, the patience and the search of an attached process.
public struct AttachOptions: Sendable {
    /// Whether commands that change the program are refused, by this side and by the program.
    public var isReadOnly = false
    /// Whether a missing program is waited for, without limit.
    public var waits = false
    /// The viewer's name, as the program may show it.
    public var viewerName = ""
    /// Where programs are looked for.
    public var discovery: Discovery

    /// Attaches to what is there now, with commands.
    public init(discovery: Discovery = Discovery()) { self.discovery = discovery }
}

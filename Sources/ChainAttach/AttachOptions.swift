/// How to attach, and what to do where that fails.
public struct AttachOptions: Sendable {
    /// Whether commands that change something are refused on this side already, and forbidden on the other.
    public var isReadOnly = false
    /// Whether a program that is not there yet is waited for, without limit.
    public var waits = false
    /// Who is looking, as the program may show it.
    public var viewerName = ""
    /// Where programs are looked for.
    public var discovery: Discovery

    /// Attaches to what is there now, with commands.
    public init(discovery: Discovery = Discovery()) { self.discovery = discovery }
}

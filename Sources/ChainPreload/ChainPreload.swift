import ChainInspector
import ChainTasks

/// Starts an inspector before `main` in the program that this library was preloaded into, if the environment variable
/// `CHAINVIEW` requests one.
@_cdecl("chain_preload_start")
public func startPreloaded() { Inspector.startIfRequested(tasks: true) }

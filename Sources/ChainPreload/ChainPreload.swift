import ChainInspector
import ChainTasks

/// Starts the inspector of the program that this library was preloaded into, before `main`.
@_cdecl("chain_preload_start")
public func startPreloaded() { Inspector.startIfRequested(tasks: true) }

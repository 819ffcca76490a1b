extension WarningKind {
    /// The problem in a few words, without a capital letter.
    public var headline: String {
        switch self {
        case .neverSettled: "live for long, and nothing is under way that would settle it"
        case .abandoned: "its resolver was dropped: nobody could settle it any more"
        case .unhandledRejection: "rejected, and nobody handled the error"
        case .settledAgain: "somebody tried to settle it a second time"
        case .blockedWorker: "its handler blocks a thread that others need"
        case .longHandler: "its handler has kept a thread for long"
        case .awaitedOnOwnExecutor: "wanted to wait on the executor that had to do the work"
        case .deadlock: "they wait for each other and will wait for ever"
        case .raceLoserRunning: "the race is decided, and this member runs on"
        case .cancellationIgnored: "asked to be cancelled, and goes on"
        case .tooManyThreads: "more threads run handlers than there should be"
        case .longQueueWait: "its handler has stood in a queue for long"
        case .deepChain: "a chain with very many nodes below each other"
        case .lostEvents: "events were lost: what is shown may be incomplete"
        }
    }

    /// The meaning, in one or two sentences.
    public var explanation: String {
        switch self {
        case .neverSettled:
            "It has been live for longer than the limit, and neither a parent, a member, a timer nor a queue stands "
                + "between it and its end: only the program's own code can settle it. Whoever waits for it waits on."
        case .abandoned:
            "The last reference to its resolver went away while it was pending, so it was rejected with an error that says "
                + "so. Usually a completion was not kept, or not called on one of the ways out."
        case .unhandledRejection:
            "It was released rejected and no handler had seen the error: whatever failed there went unnoticed by the "
                + "program."
        case .settledAgain:
            "It had its outcome already, so the later one was dropped. The two may differ, and which one came first may "
                + "be chance."
        case .blockedWorker:
            "The thread waits (for a promise, a lock, or the system) instead of returning to its executor. While it does, "
                + "one thread less runs handlers; where all do, nothing runs any more."
        case .longHandler:
            "A handler occupies its thread until it returns. Others that were handed to the same executor stand in its "
                + "queue meanwhile."
        case .awaitedOnOwnExecutor:
            "Blocking until a promise settles can never end where the waiting thread itself would have to run what settles "
                + "it, so the wait was refused with an error."
        case .deadlock:
            "Each of them waits for the next, and the last for the first. Nothing inside the ring can ever settle."
        case .raceLoserRunning:
            "The outcome of the race is known, so nobody will look at this one; and yet its work goes on and costs what it "
                + "costs."
        case .cancellationIgnored:
            "A cancellation is a request: handlers and operations have to look for it. This one was asked longer ago than "
                + "the limit and has not settled."
        case .tooManyThreads:
            "Every thread costs memory and switching. So many that run handlers at once usually come from blocked workers "
                + "that had to be replaced, or from an executor for every object."
        case .longQueueWait:
            "It is ready to run and its executor has no thread for it: all are busy or blocked, or the executor is "
                + "suspended."
        case .deepChain:
            "Its nodes stand below each other deeper than the limit. Mostly a loop that chains on to the last promise for "
                + "ever, which keeps every step's node alive."
        case .lostEvents:
            "The program made events faster than they were taken, or the way here was too slow. What was missed is put "
                + "right from the program's registry; what began and ended meanwhile is not seen."
        }
    }

    /// What to do about it.
    public var advice: String {
        switch self {
        case .neverSettled:
            "Look at its call site (e): who holds the resolver, and does every way out of that code use it? A timeout in "
                + "the chain turns waiting for ever into an error that is seen."
        case .abandoned:
            "Keep the resolver until it was used: hand it to whatever calls back, and settle it on errors and early "
                + "returns, too."
        case .unhandledRejection:
            "End the chain with catch, recover or failed; or return its promise to somebody who does. If the error does "
                + "not matter, say so: ignore."
        case .settledAgain:
            "Let one place alone settle it. Where several may be first, race promises instead of sharing a resolver."
        case .blockedWorker:
            "Return a promise instead of waiting for it (then), or move what has to block to an executor of its own with "
                + "threads to spare. w shows what a waiting handler waits for."
        case .longHandler:
            "Cut the work into steps, move it to an executor that is meant for long work, or, if that is how long it "
                + "takes, raise the limit in the configuration (long-handler)."
        case .awaitedOnOwnExecutor:
            "Chain on with then instead of waiting, or wait on a thread that belongs to no executor."
        case .deadlock:
            "Cancel one of them (c), which lets go of the others. Then find who adopts or awaits the promise that he "
                + "himself has to settle: Enter and w walk the ring."
        case .raceLoserRunning:
            "Race with cancellingLosers: true, and let the members look at their cancellation. If the loser is wanted all "
                + "the same, chain something on it."
        case .cancellationIgnored:
            "Look at ChainRuntime.isCancelled in long loops, pass the cancellation on to what was started, and settle the "
                + "promise when it is noticed."
        case .tooManyThreads:
            "Look at the view of threads (2) for blocked ones, share executors, and bound the width of pools."
        case .longQueueWait:
            "See in the view of threads (2) what keeps the executor busy; give it more threads, or long work an executor "
                + "of its own."
        case .deepChain:
            "Let a loop be repeat or retry instead of a chain that grows, or keep only the last promise's value."
        case .lostEvents:
            "Record less (the inspector can narrow what it records), give its buffers more room, or look at the program "
                + "from nearer."
        }
    }
}

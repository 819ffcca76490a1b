// The declarations that examples of the documentation use: a shop. Compiled with the examples, not with the tests.
import ChainBus
import ChainEvents
import ChainInspector
import Foundation
import PromiseRuntime

struct Order: Sendable {
    var number = 17
    var items = ["tea", "pot"]
}

struct Declined: Error, Equatable {}
struct NotFound: Error, Equatable {}
struct NoNetwork: Error, Equatable {}

let order = Order()
let data = "tea pot"
let mirrors = ["north", "south", "east"]

/// Reserves the items of an order.
func reserve(_ order: Order) throws -> [String] { order.items }
func charge(_ items: [String]) -> Promise<Int> { .resolve(items.count * 10) }
func parse(_ text: String) throws -> [String] { text.split(separator: " ").map(String.init) }
func fetch(_ count: Int) -> Promise<[String]> { .resolve((0..<count).map { "page \($0)" }) }
func close() -> Promise<Void> { .resolve(()) }
func download(_ mirror: String) -> Promise<String> { .resolve("file from \(mirror)") }
let expiredCard = ["expired"]

/// Runs one order.
func checkout(_ number: Int) -> Promise<String> { Promise { "thanks" } }

func log(_ what: Any) {}
func report(_ error: any Error) {}

// For examples of callbacks, of trying again and of chains.

struct Busy: Error {}
struct LoadError: Error {}
struct Image: Sendable {}
struct Job: Sendable {}

struct Status: Sendable {
    var isFinal = true
}

struct Request: Sendable {
    func cancel() {}
}

let url = URL(fileURLWithPath: "words.txt")
let path = "words.txt"
let words = ["one", "two"]
let job = Job()

func reserveStock() -> Promise<[String]> { .resolve(order.items) }
func fetchStatus(of job: Job) -> Promise<Status> { .resolve(Status()) }
func fetch(_ url: URL) -> Promise<Data> { .resolve(Data()) }
func load(_ path: String, completion: @escaping @Sendable (Result<Data, LoadError>) -> Void) {}
func count(_ words: [String], completion: @escaping @Sendable (Int) -> Void) { completion(words.count) }
func remove(_ path: String, completion: @escaping @Sendable ((any Error)?) -> Void) { completion(nil) }

@discardableResult
func fetch(_ url: URL, completion: @escaping @Sendable (Data?, (any Error)?) -> Void) -> Request { Request() }

func decode(_ data: Data, completion: @escaping @Sendable (Result<Image, any Error>) -> Void) {
    completion(.success(Image()))
}

// For examples of the bus and the inspector.

let batches = PublishSubject<EventBatch>()
func wakeUp() {}
func ask(_ completion: @escaping @Sendable (String) -> Void) { completion("17") }
func send(_ batch: EventBatch) {}
func write(_ count: Int) {}
func draw(_ text: String) {}

struct Timer: Sendable {
    func cancel() {}
}

func startTimer(_ tick: @escaping @Sendable (Int) -> Void) -> Timer { Timer() }

// SPDX-License-Identifier: MIT

/// A place that keeps the batches of a log, and that several machines may share: an application writes one if its log
/// is in none of the places that the engine knows.
///
/// A batch is kept as bytes under the number of its first event, and is never changed or removed. Two rules carry all that
/// the engine promises:
///
/// - `add` makes a batch if nothing has its number yet, for all writers of all machines, at one moment. A unique key does it,
///   or an object that is created only if it is absent.
/// - A batch that `add` or `confirm` acknowledged survives what `durability` says, and so do all batches before it. Each later
///   call of any reader finds them.
///
/// The engine does the rest: it expects a head, links each batch to the one before, checks every byte that it reads, and
/// looks for a batch if `add` fails.
///
/// ```swift
/// struct ObjectStore: BatchStore {
///   let place: String
///   let client: Client
///   var largestBatch: Int? { 5 << 30 }
///   func durability() -> LogDurability { .zone }
///   func add(_ batch: StoredBatch) throws -> Bool {
///     try client.put(batch.bytes, at: batch.firstSequence, ifAbsent: true)
///   }
///   …
/// }
///
/// SharedLogs.add(scheme: "objects") { address in try ObjectStore(address) }
/// try CatalogDirectory("sounds").shareLog(at: "objects://bucket.example/logs#sounds")
/// ```
///
/// `StoreConformance` tries whether a store keeps these rules. `StoreRefusal` is the error of a store that knows that
/// nothing was added; any other error of `add` leaves open whether it was.
public protocol BatchStore: Sendable {
  /// Names the log for people: its address, without a password.
  var place: String { get }
  /// Bytes of a batch, at most; nil if only memory bounds them.
  var largestBatch: Int? { get }
  /// Says what an acknowledged batch survives.
  func durability() throws -> LogDurability
  /// The batch with the largest number; nil if there is none.
  func last() throws -> StoredBatch?
  /// The batch that begins with an event, and as many of those after it as are read well at once, in their order.
  ///
  /// - Returns: nothing if no batch begins there.
  func batches(from first: UInt64) throws -> [StoredBatch]
  /// The batch with the largest number that is not larger than `sequence`; nil if there is none.
  func batch(at sequence: UInt64) throws -> StoredBatch?
  /// Keeps a batch, if no batch has its number.
  ///
  /// - Returns: whether it is kept now; false if another batch has its number, or this same one from an earlier call.
  /// - Throws: `StoreRefusal` if this call surely did not keep it, and trying again does not help; anything else if that is not known:
  ///   the engine tries again for a while, and finds out.
  func add(_ batch: StoredBatch) throws -> Bool
  /// Makes sure that all batches which a reader finds survive what `durability` says: called before a batch that was found is
  /// called kept. A store whose readers find only such batches has nothing to do.
  ///
  /// - Throws: anything if that is not known.
  func confirm() throws
  /// Compares the batch that ends with an event with a chain hash, and confirms all batches up to it: called for a batch that may be
  /// left from a call without an answer, before it is called kept.
  ///
  /// A store whose servers replace each other after a failure does both in one step. If it confirms on another server than it
  /// compares on, an acknowledged batch can be lost. The default suits a store that is one place: it confirms, then compares.
  ///
  /// - Returns: whether a batch ends there with this hash; if not, nothing needs to be confirmed.
  /// - Throws: anything if that is not known.
  func keeps(_ chain: [UInt8], through sequence: UInt64) throws -> Bool
}

extension BatchStore {
  public func confirm() throws {}

  public func keeps(_ chain: [UInt8], through sequence: UInt64) throws -> Bool {
    try confirm()
    guard let found = try batch(at: sequence) else { return false }
    return found.lastSequence == sequence && found.chain == chain
  }
}

/// The error of a store that surely kept nothing, and does not if it is asked again: a missing right, a full disk.
public struct StoreRefusal: Error, Hashable, Sendable, CustomStringConvertible {
  /// Says what is wrong, and what the user can do.
  public let description: String

  public init(_ description: String) {
    self.description = description
  }
}

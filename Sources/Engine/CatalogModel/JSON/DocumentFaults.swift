/// The faults of one document: the first ten by their place in it, and how many there are.
package struct DocumentFaults {
  /// In the document's order; at most `limit`.
  package private(set) var first: [JSONError] = []
  package private(set) var count = 0
  /// The most faults that are listed.
  var limit = DocumentError.listLimit

  package init() {}

  package mutating func add(_ fault: JSONError) {
    add(at: fault.offset) { fault }
  }

  /// - Parameter fault: called if the fault is listed: to find out what a misspelt word means takes time.
  mutating func add(at offset: Int, _ fault: () -> JSONError) {
    count += 1
    // Most faults are found in the document's order. That a key is missing is known at the end of its object only.
    let place = first.lastIndex { $0.offset <= offset }.map { $0 + 1 } ?? 0
    guard place < limit else { return }
    first.insert(fault(), at: place)
    if first.count > limit { first.removeLast() }
  }
}

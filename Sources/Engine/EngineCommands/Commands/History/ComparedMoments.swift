import ArgumentParser
import CatalogEngine

/// The two states that a command compares: two moments, a range `A..B`, the states before and after an operation, or a
/// moment and the newest state.
struct ComparedMoments {
  let from: Moment
  /// Nil if only one moment was named.
  let to: Moment?
  /// The range, if one argument names both states.
  private let range: MomentRange?

  /// - Throws: `ValidationError` for text that is not a moment or a range.
  init(_ from: String, _ to: Moment?) throws {
    if to == nil, let range = Self.range(from) {
      (self.from, self.to, self.range) = (range.from, range.to, range)
    } else if to != nil, MomentRange(from) != nil {
      throw ValidationError("\(from) is a range already: leave the second moment out")
    } else {
      (self.from, self.to, range) = (try Moment.typed(from), to, nil)
    }
  }

  /// The range that one argument names; nil if it is one moment.
  static func range(_ text: String) -> MomentRange? {
    if let range = MomentRange(text) { return range }
    guard case .operation? = Moment(text) else { return nil }
    return MomentRange(whole: text)
  }

  /// The operation whose id begins with the digits that were named alone; nil if they are a sequence.
  private func operation(in states: PastStates) throws -> MomentRange? {
    guard to == nil, case .sequence = from,
      case .operation(let name) = try states.found(from).moment
    else { return nil }
    return MomentRange(of: name)
  }

  /// Finds both states.
  ///
  /// - Parameter latest: the second one if only one moment was named.
  func found(
    in states: PastStates, latest: Moment
  ) throws -> (from: FoundMoment, to: FoundMoment) {
    guard let range = try range ?? operation(in: states) else {
      return (try states.found(from), try states.found(to ?? latest))
    }
    let before = try range.beginning(in: states.log, history: states.history)
    return (
      try states.found(before == 0 ? .start : .sequence(before)), try states.found(range.to)
    )
  }
}

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
    } else if let advice = MomentRange.advice(onMistyped: from) {
      throw ValidationError("\(advice); moments are \(Moment.forms)")
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

  /// The range that one argument names; nil if it names a state. Digits that are no event begin the id of an operation.
  func range(in states: PastStates) throws -> MomentRange? {
    if let range { return range }
    guard to == nil, case .sequence(let sequence) = from else { return nil }
    if case .operation(let name) = try states.found(from).moment { return MomentRange(of: name) }
    try DigitsOfEvent(sequence).note(in: states, on: .current)
    return nil
  }

  /// Finds both states.
  ///
  /// - Parameters:
  ///   - latest: the second one if only one moment was named.
  ///   - startsEarly: whether a time before the first batch means the empty catalog: nothing had happened then.
  func found(
    in states: PastStates, latest: Moment, startsEarly: Bool = false
  ) throws -> (from: FoundMoment, to: FoundMoment) {
    guard let range = try range(in: states) else {
      let start = try startsEarly ? earlyStart(in: states) : states.found(from)
      return (start, try states.found(to ?? latest))
    }
    let before = try range.beginning(in: states.log, history: states.history)
    return (
      try states.found(before == 0 ? .start : .sequence(before)), try states.found(range.to)
    )
  }

  private func earlyStart(in states: PastStates) throws -> FoundMoment {
    do {
      return try states.found(from)
    } catch let error as CatalogError where error.code == .noMoment {
      switch from {
      case .time, .span: return try states.found(.start)
      case .start, .sequence, .head, .operation, .live: throw error
      }
    }
  }
}

package import CatalogStore
import Foundation
public import Projections

/// A pattern of nearly all changes of a column, whose values differ: each price is a hundredth of what it was.
public struct ColumnPattern: Hashable, Sendable {
  public enum Kind: Hashable, Sendable {
    /// Each number was multiplied by this one; 0.01 for a hundredth.
    case factor(Double)
    /// This number was added to each.
    case addend(Double)
    /// Rows of different values have this one now.
    case value(Value)
    /// Texts differ in capital and small letters alone.
    case letterCase
    /// Texts differ in white space alone.
    case space
  }

  public let kind: Kind
  /// How many rows it fits. If a column changed in hundreds of ways, up to one row in a hundred may not be counted.
  public let rows: Int
  /// The change that it fits with the least value before it.
  package let before: StoredValue
  package let after: StoredValue
}

/// Looks for a pattern in the changes of one column.
package struct PatternTally: Sendable {
  private struct Fit {
    /// The change with the least value before it: rows may come in any order.
    var before, after: StoredValue
    var rows = 0
  }

  private enum Candidate: Hashable {
    case factor(Double)
    case addend(Double)
    case value(StoredValue)
    case letterCase, space

    /// The order in which one is named if several fit equally many rows: the greatest first.
    var rank: Int {
      switch self {
      case .addend: 0
      case .factor: 1
      case .space: 2
      case .letterCase: 3
      case .value: 4
      }
    }
  }

  /// How many candidates are counted at once. Those of few rows make room for others: a pattern that begins late is found.
  private static let mostCandidates = 256
  /// A candidate stays if it fits one row in so many.
  private static let leastPart = 100
  /// Fewer rows may have something in common by chance.
  private static let leastRows = 3

  private var fits: [Candidate: Fit] = [:]
  private var rows = 0

  package init() {}

  package mutating func add(from before: StoredValue, to after: StoredValue) {
    rows += 1
    count(.value(after), before, after)
    switch (before, after) {
    case (.text(let old), .text(let new)): addTexts(old, new, before, after)
    default:
      guard let old = before.number, let new = after.number else { break }
      // Of large numbers that grow a little each quotient is nearly 1: the factor has to explain the difference.
      let factor = Self.rounded(new / old)
      if old != 0, new != 0, Self.explains(old * factor - new, new - old) {
        count(.factor(factor), before, after)
      }
      if let addend = Self.addend(before, after) { count(.addend(addend), before, after) }
    }
  }

  private mutating func addTexts(
    _ old: String, _ new: String, _ before: StoredValue, _ after: StoredValue
  ) {
    // The capitals of ß are SS.
    if old.lowercased().utf8.elementsEqual(new.lowercased().utf8)
      || old.uppercased().utf8.elementsEqual(new.uppercased().utf8)
    {
      count(.letterCase, before, after)
    } else if old.unicodeScalars.lazy.filter({ !$0.properties.isWhitespace })
      .elementsEqual(new.unicodeScalars.lazy.filter { !$0.properties.isWhitespace })
    {
      count(.space, before, after)
    }
  }

  private mutating func count(
    _ candidate: Candidate, _ before: StoredValue, _ after: StoredValue
  ) {
    guard var fit = fits[candidate] else {
      if fits.count >= Self.mostCandidates {
        fits = fits.filter { $0.value.rows * Self.leastPart > rows }
      }
      fits[candidate] = Fit(before: before, after: after, rows: 1)
      return
    }
    fit.rows += 1
    if before.isBefore(fit.before) { (fit.before, fit.after) = (before, after) }
    fits[candidate] = fit
  }

  /// The difference of two numbers, exact for whole ones; nil if no number is it.
  private static func addend(_ before: StoredValue, _ after: StoredValue) -> Double? {
    if case .integer(let old) = before, case .integer(let new) = after {
      let (difference, overflow) = new.subtractingReportingOverflow(old)
      return overflow ? nil : Double(exactly: difference)
    }
    guard let old = before.number, let new = after.number else { return nil }
    let addend = rounded(new - old)
    return explains(old + addend - new, new - old) ? addend : nil
  }

  /// Whether what a pattern leaves of a difference is a millionth of it at most.
  private static func explains(_ rest: Double, _ difference: Double) -> Bool {
    difference != 0 && abs(rest) <= abs(difference) * 1e-6
  }

  /// Nine digits: 12.99 times 100 is not 1299 in every last bit.
  private static func rounded(_ number: Double) -> Double {
    guard number != 0, number.isFinite else { return number }
    let scale = pow(10, 8 - floor(log10(abs(number))))
    let rounded = (number * scale).rounded() / scale
    return rounded.isFinite ? rounded : number
  }

  /// The pattern of nine tenths of the rows or more; nil if there is none.
  ///
  /// - Parameter most: how many rows have the most frequent change, which says it all if the pattern fits no more.
  package func pattern(beyond most: Int) -> ColumnPattern? {
    guard rows >= Self.leastRows else { return nil }
    let best = fits.max { ($0.value.rows, $0.key.rank) < ($1.value.rows, $1.key.rank) }
    guard let (candidate, fit) = best, fit.rows > most, fit.rows * 10 >= rows * 9 else {
      return nil
    }
    let kind: ColumnPattern.Kind =
      switch candidate {
      case .factor(let factor): .factor(factor)
      case .addend(let addend): .addend(addend)
      case .value(let value): .value(value.plainValue)
      case .letterCase: .letterCase
      case .space: .space
      }
    return ColumnPattern(kind: kind, rows: fit.rows, before: fit.before, after: fit.after)
  }
}

extension StoredValue {
  fileprivate var number: Double? {
    switch self {
    case .integer(let integer): Double(integer)
    case .real(let real): real
    default: nil
    }
  }
}

/// How large a number of a document, of an answer of a server or of an option may be.
public enum NumberRules {
  /// 2^53 - 1: what every JSON reader takes exactly. Sums, products and successors of a few such numbers
  /// do not overflow.
  public static let greatest: Int64 = (1 << 53) - 1

  /// What to write behind a number that was used already.
  package static func adviceToGrow(beyond number: Int64) -> String {
    number < greatest
      ? "write \(number + 1) or more"
      : "no greater number is allowed; use another id"
  }
}

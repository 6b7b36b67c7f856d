/// Guesses what a misspelt word was meant to be.
public enum NearMiss {
  /// The known word nearest to `word`, if it is near enough to be meant: up to three edits, fewer in a short word, and not of each letter; upper
  /// and lower case are alike. Nil for none, and for words of more than 64 bytes.
  public static func find(_ word: String, among known: [String]) -> String? {
    // Bounded before anything is compared: keys of hostile documents can be long.
    guard word.utf8.count <= 64 else { return nil }
    // Four bytes for a letter, and three edits.
    let known = known.filter { $0.utf8.count <= 4 * (word.utf8.count + 3) }
    let ranked = known.map { ($0, distance(word.lowercased(), $0.lowercased())) }
    guard let best = ranked.min(by: { $0.1 < $1.1 }) else { return nil }
    // Of a word of one letter none would be left.
    let length = max(word.unicodeScalars.count, best.0.unicodeScalars.count)
    guard best.1 == 0 || best.1 < length else { return nil }
    return best.1 <= max(1, min(3, best.0.utf8.count / 3)) ? best.0 : nil
  }

  /// `did you mean "title"?`, or the list of what is known.
  package static func advice(for word: String, among known: [String]) -> String {
    if let near = find(word, among: known) { return "did you mean \"\(near)\"?" }
    return "known are " + known.joined(separator: ", ")
  }

  /// Edits (insert, delete, replace, swap of neighbours) between two words.
  private static func distance(_ left: String, _ right: String) -> Int {
    let left = Array(left.unicodeScalars)
    let right = Array(right.unicodeScalars)
    var beforeLast: [Int] = []
    var last = Array(0...right.count)
    for row in 0..<left.count {
      var current = [row + 1]
      for column in 0..<right.count {
        let isSame = left[row] == right[column]
        var best = min(
          last[column] + (isSame ? 0 : 1), last[column + 1] + 1, current[column] + 1)
        if row > 0, column > 0, left[row] == right[column - 1], left[row - 1] == right[column] {
          best = min(best, beforeLast[column - 1] + 1)
        }
        current.append(best)
      }
      beforeLast = last
      last = current
    }
    return last[right.count]
  }
}

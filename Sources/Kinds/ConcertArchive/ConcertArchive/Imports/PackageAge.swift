import CatalogModel

/// A package that is older than the one an archive has: importing it takes back what the newer one said.
public struct OlderPackage: Error, Hashable, Sendable, CustomStringConvertible {
  public let version: String
  public let buildTimestamp: String?
  /// The version that the archive has.
  public let archiveVersion: String
  public let archiveBuildTimestamp: String?

  public var description: String {
    "the package has version \(Self.text(version, buildTimestamp)), which is older than that of the archive, "
      + Self.text(archiveVersion, archiveBuildTimestamp)
  }

  private static func text(_ version: String, _ build: String?) -> String {
    let version = JSONExcerpt.printable(version)
    return build.map { "\(version) (built \(JSONExcerpt.printable($0)))" } ?? version
  }

  /// Compares a package with the one that was imported last: by version, and by the time of the build if the versions are
  /// the same or cannot be compared.
  ///
  /// - Returns: nil if the package is not older, if it is another one by its name, or if neither tells.
  init?(_ package: ImportedPackage, over archive: DataVersion) {
    guard package.packageName.utf8.elementsEqual(archive.packageName.utf8) else { return nil }
    let versions = (PackageVersion(package.version), PackageVersion(archive.dataVersion))
    if let new = versions.0, let old = versions.1, new < old || old < new {
      guard new < old else { return nil }
    } else {
      guard let new = package.buildTimestamp.flatMap(Timestamp.init),
        let old = archive.buildTimestamp.flatMap(Timestamp.init), new < old
      else { return nil }
    }
    version = package.version
    buildTimestamp = package.buildTimestamp
    archiveVersion = archive.dataVersion
    archiveBuildTimestamp = archive.buildTimestamp
  }
}

/// A version in the form of semantic versioning, with any number of numbers: `2.1.2`, `v2.1`, `2.2.0-beta.1`.
struct PackageVersion: Comparable {
  private let numbers: [Digits]
  /// Parts of what follows the first dash. A version with some is before the version without.
  private let stage: [Substring]

  /// - Returns: nil if the text has another form.
  init?(_ text: String) {
    let text = text.prefix { $0 != "+" }
    let parts = (text.hasPrefix("v") ? text.dropFirst() : text)
      .split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false)
    guard let first = parts.first else { return nil }
    var numbers: [Digits] = []
    for part in first.split(separator: ".", omittingEmptySubsequences: false) {
      guard let number = Self.number(part) else { return nil }
      numbers.append(number)
    }
    while numbers.count > 1, numbers.last?.text.isEmpty == true { numbers.removeLast() }
    self.numbers = numbers
    stage = parts.count == 1 ? [] : parts[1].split(separator: ".", omittingEmptySubsequences: false)
  }

  static func < (left: PackageVersion, right: PackageVersion) -> Bool {
    if left.numbers != right.numbers {
      return left.numbers.lexicographicallyPrecedes(right.numbers)
    }
    if left.stage.isEmpty || right.stage.isEmpty {
      return !left.stage.isEmpty && right.stage.isEmpty
    }
    return left.stage.lexicographicallyPrecedes(right.stage, by: isBefore)
  }

  /// Numbers come before words.
  private static func isBefore(_ left: Substring, _ right: Substring) -> Bool {
    switch (number(left), number(right)) {
    case (let left?, let right?): left < right
    case (_?, nil): true
    case (nil, _?): false
    case (nil, nil): left.utf8.lexicographicallyPrecedes(right.utf8)
    }
  }

  private static func number(_ text: Substring) -> Digits? {
    let isNumber =
      !text.isEmpty && text.utf8.allSatisfy((UInt8(ascii: "0")...UInt8(ascii: "9")).contains)
    return isNumber ? Digits(text: text.drop { $0 == "0" }) : nil
  }

  /// A whole number of any size.
  private struct Digits: Comparable {
    /// Without zeros at its beginning.
    let text: Substring

    static func < (left: Digits, right: Digits) -> Bool {
      (left.text.utf8.count, String(left.text)) < (right.text.utf8.count, String(right.text))
    }
  }
}

import ArgumentParser
import CatalogModel

/// Refuses numbers of options that no command can use.
public enum OptionBounds {
  /// Accepts nil and 1 to 2^53 - 1 (`NumberRules.greatest`).
  ///
  /// - Parameter option: as it is typed: `--limit`.
  /// - Throws: `ValidationError`, which ends the command with status 64.
  public static func requireCount(_ value: Int?, _ option: String) throws {
    guard let value, !(1...NumberRules.greatest).contains(Int64(value)) else { return }
    throw ValidationError(
      value < 1
        ? "\(option) takes 1 or more, not \(value)"
        : "\(option) takes 1 to \(NumberRules.greatest), not \(value)")
  }
}

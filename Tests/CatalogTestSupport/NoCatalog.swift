#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Keeps tests away from the catalog that the user of this machine may have: a command without `--catalog` finds none, and can make none.
package enum NoCatalog {
  /// A folder that no program can make.
  package static let path = "/dev/null/catalog"

  /// Names it to the commands that run within this process; true if that worked.
  package static let isDefault = setenv("CATALOG_HOME", path, 1) == 0
}

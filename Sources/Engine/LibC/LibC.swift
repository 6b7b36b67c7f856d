// Gives the system's C library, a module that has another name on each system, one name: `import LibC`, and `LibC.close`
// for the call in a type that has a method of that name.
#if canImport(Darwin)
  @_exported public import Darwin
#elseif canImport(Glibc)
  @_exported public import Glibc
#elseif canImport(Musl)
  @_exported public import Musl
#endif

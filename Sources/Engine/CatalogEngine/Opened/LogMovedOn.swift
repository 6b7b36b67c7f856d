/// Others appended to a log after a caller looked at what it would change: it looks again.
package struct LogMovedOn: Error {
  package init() {}
}

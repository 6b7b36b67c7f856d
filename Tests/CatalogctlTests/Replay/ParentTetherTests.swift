import Foundation
import Promises
import Testing

@testable import EngineCommands

@Suite(
  .promise(
    "A process that was started by another ends with it, and reports to it by messages "
      + "that any pipe may cut"),
  .timeLimit(.minutes(10)))
struct ParentTetherTests {
  @Test func theEndOfThePipeIsTheEndWhateverFailedBefore() {
    let pipe = Pipe()
    pipe.fileHandleForWriting.write(Data("la".utf8))
    pipe.fileHandleForWriting.closeFile()
    let descriptor = pipe.fileHandleForReading.fileDescriptor
    // The end of a file sets no number: the last failure's stays.
    errno = EINTR
    ParentWatchdog.waitForEnd(of: descriptor)
    var byte: UInt8 = 0
    #expect(read(descriptor, &byte, 1) == 0)
  }
}

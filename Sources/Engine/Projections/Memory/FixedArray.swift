/// Values that are set once, and read without counting who refers to them.
///
/// Reading an array that a class holds may count a reference to it, which a fold does a hundred million times.
struct FixedArray<Element: BitwiseCopyable>: ~Copyable {
  private let memory: UnsafeMutableBufferPointer<Element>

  init(_ elements: some Collection<Element>) {
    memory = .allocate(capacity: elements.count)
    _ = memory.initialize(fromContentsOf: elements)
  }

  deinit {
    memory.deallocate()
  }

  var count: Int { memory.count }

  var indices: Range<Int> { 0..<memory.count }

  @inline(__always)
  subscript(index: Int) -> Element {
    precondition(memory.indices.contains(index))
    return memory[index]
  }
}

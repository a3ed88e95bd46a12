const encoder = new TextEncoder()
const decoder = new TextDecoder()
const leastRoom = 65_536

/** Bytes that so many UTF-16 units take in UTF-8 at most: three each. */
export const bytesOfUnits = (units: number): number => 3 * units

/** A text has no more bytes than this. */
export const bytesAtMost = (text: string): number => bytesOfUnits(text.length)

/** Text that is written as UTF-8, piece after piece, into one buffer that grows. */
export class Utf8Writer {
  #bytes = new Uint8Array(leastRoom)
  /** How many bytes were written. */
  length = 0

  /** The buffer, with room for so many bytes behind those that were written; until more are asked for. */
  room(count: number): Uint8Array {
    if (this.#bytes.length - this.length < count) {
      const larger = new Uint8Array(Math.max(2 * this.#bytes.length, this.length + count))
      larger.set(this.#bytes.subarray(0, this.length))
      this.#bytes = larger
    }
    return this.#bytes
  }

  write(text: string): void {
    const room = this.room(bytesAtMost(text))
    this.length += encoder.encodeInto(text, room.subarray(this.length)).written
  }

  /** Writes what is UTF-8 already. */
  copy(bytes: Uint8Array): void {
    this.room(bytes.length).set(bytes, this.length)
    this.length += bytes.length
  }

  /** What was written from a place on: a view, good for as long as nothing is written in front of it. */
  since(start: number): Uint8Array {
    return this.#bytes.subarray(start, this.length)
  }

  /** What was written, as text. */
  text(): string {
    return decoder.decode(this.since(0))
  }

  /** Begins anew in the same buffer; one that has grown beyond what is usual goes. */
  clear(): void {
    this.length = 0
    if (this.#bytes.length > mostKept) this.#bytes = new Uint8Array(leastRoom)
  }
}

const mostKept = 1_048_576

/** Pieces of text, some of them as UTF-8 already, one behind the other. */
export function joined(pieces: readonly (string | Uint8Array)[]): Uint8Array {
  const parts = pieces.map((each) => (typeof each === 'string' ? encoder.encode(each) : each))
  const whole = new Uint8Array(parts.reduce((sum, { byteLength }) => sum + byteLength, 0))
  let at = 0
  for (const part of parts) {
    whole.set(part, at)
    at += part.byteLength
  }
  return whole
}

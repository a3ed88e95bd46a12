/** What is wrong with a JSON text, and where. */

export type JsonFault =
  | 'syntax'
  | 'duplicate_member'
  | 'too_deep'
  | 'lone_surrogate'
  | 'null_character'
  | 'number_range'

/** Objects and arrays that may stand inside each other, the outermost counted. */
export const maximumJsonDepth = 32

/** Why a text is refused: `offset` in UTF-16 code units from its start, `pointer` (RFC 6901) to the value or member at fault. */
export class JsonError extends Error {
  readonly reason: JsonFault
  readonly offset: number
  readonly pointer: string

  constructor(reason: JsonFault, offset: number, pointer: string) {
    super(`JSON refused: ${reason} at offset ${offset}`)
    this.name = 'JsonError'
    this.reason = reason
    this.offset = offset
    this.pointer = pointer
  }
}

/** Reads a text from its start as RFC 8259 has it and throws a `JsonError` for the first fault; returns when there is none. */
export function scanJson(text: string): void {
  new Scanner(text).document()
}

class Scanner {
  readonly #text: string
  #offset = 0
  #path: (string | number)[] = []

  constructor(text: string) {
    this.#text = text
  }

  document(): void {
    this.#space()
    this.#value()
    this.#space()
    if (this.#offset < this.#text.length) throw this.#fault('syntax')
  }

  #value(): void {
    const next = this.#text[this.#offset]
    if (next === '{') this.#nested(() => this.#object())
    else if (next === '[') this.#nested(() => this.#array())
    else if (next === '"') this.#string()
    else if (next === 't') this.#token('true')
    else if (next === 'f') this.#token('false')
    else if (next === 'n') this.#token('null')
    else this.#number()
  }

  #nested(read: () => void): void {
    if (this.#path.length >= maximumJsonDepth) throw this.#fault('too_deep')
    this.#offset++
    this.#space()
    read()
  }

  #object(): void {
    if (this.#took('}')) return
    const names = new Set<string>()
    do {
      this.#space()
      const start = this.#offset
      const name = this.#string()
      this.#path.push(name)
      if (names.has(name)) throw this.#fault('duplicate_member', start)
      names.add(name)
      this.#space()
      this.#token(':')
      this.#space()
      this.#value()
      this.#space()
      this.#path.pop()
    } while (this.#took(','))
    this.#token('}')
  }

  #array(): void {
    if (this.#took(']')) return
    let index = 0
    do {
      this.#path.push(index++)
      this.#space()
      this.#value()
      this.#space()
      this.#path.pop()
    } while (this.#took(','))
    this.#token(']')
  }

  /** Reads a string and returns what it stands for. */
  #string(): string {
    const start = this.#offset
    this.#token('"')
    let highSurrogate = -1
    for (;;) {
      const at = this.#offset
      const end = this.#text[at] === '"'
      const unit = end ? 0 : this.#unit()
      const isLow = unit >= 0xdc00 && unit <= 0xdfff
      if (isLow !== highSurrogate >= 0) throw this.#fault('lone_surrogate', isLow ? at : highSurrogate)
      if (end) break
      if (unit === 0) throw this.#fault('null_character', at)
      highSurrogate = unit >= 0xd800 && unit <= 0xdbff ? at : -1
    }
    this.#offset++
    return JSON.parse(this.#text.slice(start, this.#offset))
  }

  /** Reads one character of a string, escaped or not, as its UTF-16 code unit. */
  #unit(): number {
    const escaped = escapeSequence.matchAt(this.#text, this.#offset)
    if (escaped !== undefined) {
      this.#offset += escaped.length
      return escaped[1] === 'u' ? Number.parseInt(escaped.slice(2), 16) : 0x20
    }
    const unit = this.#text.charCodeAt(this.#offset)
    // Past the end it is not a number; a backslash here begins no escape that JSON has.
    if (!(unit >= 0x20) || unit === 0x5c) throw this.#fault('syntax')
    this.#offset++
    return unit
  }

  #number(): void {
    const digits = number.matchAt(this.#text, this.#offset)
    if (digits === undefined) throw this.#fault('syntax')
    if (!Number.isFinite(Number(digits))) throw this.#fault('number_range')
    this.#offset += digits.length
  }

  #token(token: string): void {
    if (!this.#text.startsWith(token, this.#offset)) throw this.#fault('syntax')
    this.#offset += token.length
  }

  #took(token: string): boolean {
    const found = this.#text[this.#offset] === token
    if (found) this.#offset++
    return found
  }

  #space(): void {
    this.#offset += space.matchAt(this.#text, this.#offset)?.length ?? 0
  }

  #fault(reason: JsonFault, offset = this.#offset): JsonError {
    const pointer = this.#path.map((segment) => `/${escapePointer(String(segment))}`).join('')
    return new JsonError(reason, offset, pointer)
  }
}

function escapePointer(segment: string): string {
  return segment.replaceAll('~', '~0').replaceAll('/', '~1')
}

/** A pattern tried at one place of a text, without cutting the text. */
function pattern(source: string): { matchAt(text: string, offset: number): string | undefined } {
  const sticky = new RegExp(source, 'y')
  return {
    matchAt(text, offset) {
      sticky.lastIndex = offset
      return sticky.exec(text)?.[0]
    },
  }
}

const space = pattern('[ \\t\\n\\r]+')
const number = pattern('-?(?:0|[1-9]\\d*)(?:\\.\\d+)?(?:[eE][+-]?\\d+)?')
const escapeSequence = pattern('\\\\(?:["\\\\/bfnrt]|u[0-9a-fA-F]{4})')

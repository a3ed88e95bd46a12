const utf8Encoder = new TextEncoder()

/** The maximum UTF-8 size of UTF-16 units: three bytes each. */
export const bytesOfUnits = (units: number): number => 3 * units

/** An upper bound of a string's UTF-8 bytes, without counting them. */
export const bytesAtMost = (text: string): number => bytesOfUnits(text.length)

/** The UTF-8 bytes of a string. Half a surrogate pair counts as U+FFFD. */
export function bytesOf(text: string): number {
  // Encoding needs a buffer, which costs as much as checking some hundred characters.
  if (text.length > maximumScannedLength) return utf8Encoder.encode(text).byteLength
  let bytes = text.length
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index)
    if (unit < 0x80) continue
    bytes += unit < 0x800 ? 1 : 2
    // A surrogate pair takes four bytes: two more than its two units.
    if (isHigh(unit) && isLow(text.charCodeAt(index + 1))) index += 1
  }
  return bytes
}

const maximumScannedLength = 300
const isHigh = (unit: number) => unit >= 0xd800 && unit < 0xdc00
const isLow = (unit: number) => unit >= 0xdc00 && unit < 0xe000

/**
 * The beginning of a string, at most `maxUnits` UTF-16 units. It never ends in half a surrogate pair, which UTF-8
 * cannot encode and Postgres rejects.
 */
export function truncate(text: string, maxUnits: number): string {
  const last = text.charCodeAt(maxUnits - 1)
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? maxUnits - 1 : maxUnits)
}

/** Yields a file as it arrives. @throws `cutOff` if its length differs from the announced one */
export async function* announcedParts(
  { body, length }: { readonly body: AsyncIterable<Uint8Array>; readonly length: number },
  cutOff: (arrived: number, length: number) => Error,
): AsyncGenerator<Uint8Array, void> {
  let arrived = 0
  try {
    for await (const part of body) {
      arrived += part.length
      if (arrived > length) break
      yield part
    }
  } catch {
    // The caller closed the connection.
  }
  if (arrived !== length) throw cutOff(arrived, length)
}

/** Reads a stream to its end, whatever length was announced. Null as soon as it has more than `maximum` bytes. */
export async function boundedBytes(
  stream: AsyncIterable<Uint8Array> | null,
  maximum: number,
): Promise<Uint8Array | null> {
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of stream ?? []) {
    length += chunk.length
    if (length > maximum) return null
    chunks.push(chunk)
  }
  const bytes = new Uint8Array(length)
  let at = 0
  for (const chunk of chunks) {
    bytes.set(chunk, at)
    at += chunk.length
  }
  return bytes
}

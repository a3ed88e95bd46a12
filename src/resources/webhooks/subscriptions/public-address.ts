/** Which IP addresses anyone on the internet may be reached at: the registries' special-purpose blocks are not. */

/** Whether a text is the address of a public host: IPv4 in four decimal parts or IPv6 in any of its spellings. */
export function isPublicAddress(text: string): boolean {
  const four = fourBytes(text)
  if (four) return !blocks4.some(([block, length]) => isWithin(four, block, length))
  const sixteen = sixteenBytes(text)
  // All that is routed on the internet lies in 2000::/3; what maps or embeds IPv4 lies outside, and is not needed.
  return (
    sixteen !== null &&
    isWithin(sixteen, [0x20], 3) &&
    !blocks6.some(([block, length]) => isWithin(sixteen, block, length))
  )
}

type Block = readonly [bytes: readonly number[], prefixLength: number]

/** IANA's IPv4 special-purpose registry, with multicast and the reserved end. */
const blocks4: readonly Block[] = [
  [[0], 8],
  [[10], 8],
  [[100, 64], 10],
  [[127], 8],
  [[169, 254], 16],
  [[172, 16], 12],
  [[192, 0, 0], 24],
  [[192, 0, 2], 24],
  [[192, 31, 196], 24],
  [[192, 52, 193], 24],
  [[192, 88, 99], 24],
  [[192, 168], 16],
  [[192, 175, 48], 24],
  [[198, 18], 15],
  [[198, 51, 100], 24],
  [[203, 0, 113], 24],
  [[224], 4],
  [[240], 4],
]

/** What IANA's IPv6 registry sets apart within 2000::/3. */
const blocks6: readonly Block[] = [
  // Protocol assignments: Teredo, benchmarking, AMT, ORCHID and their like.
  [[0x20, 0x01, 0x00, 0x00], 23],
  // Documentation.
  [[0x20, 0x01, 0x0d, 0xb8], 32],
  [[0x3f, 0xff, 0x00], 20],
  // 6to4 leads to the IPv4 address within.
  [[0x20, 0x02], 16],
  // AS112.
  [[0x26, 0x20, 0x00, 0x4f, 0x80, 0x00], 48],
]

function isWithin(address: readonly number[], block: readonly number[], length: number): boolean {
  for (let bit = 0; bit < length; bit += 8) {
    const mask = length - bit >= 8 ? 0xff : 0xff << (8 - (length - bit))
    if (((address[bit / 8]! ^ (block[bit / 8] ?? 0)) & mask & 0xff) !== 0) return false
  }
  return true
}

function fourBytes(text: string): number[] | null {
  if (!/^(?:(?:0|[1-9]\d{0,2})(?:\.(?!$)|$)){4}$/.test(text)) return null
  const parts = text.split('.').map(Number)
  return parts.every((part) => part <= 255) ? parts : null
}

function sixteenBytes(text: string): number[] | null {
  const halves = text.split('::')
  if (halves.length > 2) return null
  const [front, back] = halves.map(groupBytes)
  if (!front || back === null) return null
  if (back === undefined) return front.length === 16 ? front : null
  const missing = 16 - front.length - back.length
  return missing >= 2 ? [...front, ...new Array<number>(missing).fill(0), ...back] : null
}

/** The bytes of one side of `::`; a dotted IPv4 address may stand in the last two groups (RFC 4291 §2.2). */
function groupBytes(text: string): number[] | null {
  if (text === '') return []
  const groups = text.split(':')
  const bytes: number[] = []
  for (const [index, group] of groups.entries()) {
    const four = index === groups.length - 1 ? fourBytes(group) : null
    if (four) bytes.push(...four)
    else if (/^[0-9a-f]{1,4}$/i.test(group))
      bytes.push(Number.parseInt(group, 16) >> 8, Number.parseInt(group, 16) & 255)
    else return null
  }
  return bytes
}

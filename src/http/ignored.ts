/** Names as a header value: visible ASCII, at most fifty of them, the rest as `...`. */
export function namesHeader(names: readonly string[]): string {
  const shown = names
    .slice(0, 50)
    .map((name) => name.slice(0, 100).replace(/[^\x21-\x2b\x2d-\x7e]/gu, escaped))
  return [...shown, ...(names.length > shown.length ? ['...'] : [])].join(', ')
}

/** Percent-encoded UTF-8; half a surrogate pair has none. */
function escaped(character: string): string {
  return character === ',' ? '%2C' : encodeURIComponent(character.toWellFormed())
}

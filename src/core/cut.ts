/**
 * The beginning of a text, of at most so many UTF-16 units. It never ends in half a surrogate pair, which UTF-8 cannot
 * encode and Postgres refuses.
 */
export function cut(text: string, longest: number): string {
  const last = text.charCodeAt(longest - 1)
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? longest - 1 : longest)
}

/**
 * Whether a string is a GTIN-8, -12, -13 or -14 with a correct check digit (GS1 General Specifications §7.9).
 */
export function isGtin(text: string): boolean {
  if (!/^(?:\d{8}|\d{12,14})$/.test(text)) return false
  let sum = 0
  // From the right, the check digit has weight 1 and the digit next to it weight 3.
  for (let i = 0; i < text.length; i++) sum += Number(text[text.length - 1 - i]) * (i % 2 === 0 ? 1 : 3)
  return sum % 10 === 0
}

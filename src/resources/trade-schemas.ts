/** The schemas of what offers and prices are told in: amounts, currencies, quantities, countries. */
import * as z from 'zod'
import { isCountry } from '../core/countries.ts'
import { currencyExponent } from '../core/currencies.ts'
import { validationProblems as v } from '../core/problems/index.ts'
import { shownAs } from '../core/property.ts'
import { violation } from '../core/violations.ts'

/** An amount of money as documents show it: a decimal without a sign. */
const amountText = z.string().meta({ pattern: '^\\d+(\\.\\d+)?$', examples: ['19.90'] })

/** An amount of money as it was written; it is judged together with its currency. */
export const moneyInput = shownAs(
  z.union([z.string().max(64), z.number()]).meta({ examples: ['19.90'] }),
  amountText,
)

/** An ISO 4217 code, in upper case. */
export const currencyCode = z
  .string()
  .refine((code) => currencyExponent(code) !== undefined, violation(v.currency.at('')))
  .meta({ pattern: '^[A-Z]{3}$', examples: ['EUR'] })

/** A whole number of pieces, at least one, that fits a Postgres `int`. */
export const quantity = z.int().min(1).max(2_147_483_647)

/** An ISO 3166-1 alpha-2 code, in upper case. */
export const countryCode = z
  .string()
  .refine(isCountry, violation(v.country.at('')))
  .meta({ pattern: '^[A-Z]{2}$', examples: ['FR'] })

/** A country in a query, ISO 3166-1 alpha-2 in any case; gives it in upper case. */
export const countryInAnyCase = z.string().transform((text, check) => {
  // Checked before it is raised to upper case, which makes two letters of some single ones.
  const code = /^[A-Za-z]{2}$/.test(text) ? text.toUpperCase() : ''
  if (!isCountry(code)) check.addIssue({ code: 'custom', ...violation(v.country.at('')) })
  return code
})

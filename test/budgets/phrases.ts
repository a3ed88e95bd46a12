/**
 * Phrases that a reader has to decode, each with its plain replacement. Software has no voice and no ears: name the actor and
 * use the technical verb.
 */
export const phrases: readonly (readonly [pattern: RegExp, instead: string])[] = [
  [/\b(?:is|are|was|were|be|been) (?:told|asked)\b/i, 'is reported, is returned, is requested'],
  [/\btell(?:s|ing)?\b/i, 'says, reports, returns, lists'],
  [/\btold\b/i, 'reported, listed, given'],
  [/\bwhoever\b/i, 'the caller, the user'],
  [
    /\b(?:somebody|anybody|nobody|everybody) (?:else|who|may|has|can|asks?|reads?|knows?)\b/i,
    'name the actor',
  ],
  [/\bstands? (?:in|for|beside|below|above|behind|there|where|at)\b/i, 'is stored in, represents, follows'],
  [/\bbeside (?:an?|the|it|its|them|their|that|what|those|other|others|one)\b/i, 'next to, in addition to'],
  [/\banew\b/i, 'again'],
  [/\blets? go of\b/i, 'deletes, evicts, releases'],
  [/\bfor want of\b/i, 'because … is missing'],
  [/\bin place of\b/i, 'instead of'],
  [/\ball the same\b/i, 'anyway'],
  [/\bcomes? (?:of|to nothing)\b/i, 'results from'],
  [/\brests? on\b/i, 'depends on'],
  [/\bleans? on\b/i, 'uses, depends on'],
  [/\bspeaks?\b/i, 'uses, supports'],
  [/\bhears? of\b/i, 'receives'],
  [/\bmend(?:s|ed|ing)?\b/i, 'fix'],
  [/\bgives? (?:way|up)\b/i, 'fails, stops, is rolled back'],
  [/\ba stranger\b/i, 'an unauthenticated caller'],
  [/\bat hand\b/i, 'available'],
  [/\bfor good\b/i, 'permanently'],
  [/\bby itself\b/i, 'automatically, in its own statement'],
  [/\bunasked\b/i, 'without a request'],
  [/\bis no more\b/i, 'no longer exists'],
  [/\bas well as it can\b/i, 'as far as possible'],
  [/\bholds? (?:it|them) against\b/i, 'compares with'],
  [/\bwhat (?:is|was|are|were) (?:kept|told|asked|known|found|made|read|written|sent)\b/i, 'name the noun'],
  [/^\s*(?:\/\*\*|\*|\/\/|--) What\b/, 'begin with a noun'],
]

/** The texts about price policies, which are loaded with their pages. */
import { useTexts } from '../core/i18n.ts'

const english = {
  title: (country: string) => `Price policy of ${country}`,
  advice:
    'A policy computes the prior price of a reduction in a country. Policies are data, not legal advice. Read the act of each policy that is not verified before you announce a reduction.',
  act: 'Act',
  noAct: 'no act, chosen for this shop',
  yes: 'yes',
  unverified: 'not verified',
  unverifiedHint:
    'Not verified: the text of the act was not read, or the act does not permit the rules below. Check them before you announce a reduction.',
  no: 'no',
  chosenSince: (moment: string) => `This shop has chosen its rules since ${moment}.`,
  rules: 'Rules',
  country: 'Country',
  createHint:
    'Countries that have no policy. If you change no rule, the act of the country applies, or the directive.',
  daysHint: 'The lowest price of these days before a reduction is its prior price.',
  series: {
    none: 'Each reduction has its own',
    increasing_uninterrupted: 'Shared while a reduction increases',
    successive_within: 'Shared by reductions without a gap',
  } as Readonly<Record<string, string>>,
  within: (days: number) => `Shared by reductions without a gap, within ${days} days`,
  permitted: (series: string) => `The act also permits: ${series}.`,
  seriesDaysHint: 'From the first reduction to the last one. Empty: no maximum.',
  newerGoods: {
    since_launch: 'Lowest since their first price',
    state_period: 'Lowest since their first price; the shop states the period',
    not_announced: 'No prior price',
  } as Readonly<Record<string, string>>,
  perishables: {
    same: 'As all goods',
    exempt: 'No prior price',
    first_reduction: 'Price before their first reduction',
  } as Readonly<Record<string, string>>,
  notPermitted:
    'These rules are not those of the act, nor a series that the act permits. The policy is then not verified.',
  fromNowOn: 'Rules apply from now on, within a minute. Earlier prices keep the rules of their time.',
  readOnly: 'Your token may read policies, but not choose them.',
  asAct: 'As the act',
  remove: 'No policy',
  removeQuestion: 'Choose no policy for this country?',
  removeHint:
    'From now on, prices in this country have no prior price, and their reductions are not checked. You can choose a policy again later.',
}

const german: typeof english = {
  title: (country) => `Preisregelung: ${country}`,
  advice:
    'Eine Preisregelung berechnet den vorherigen Preis einer Ermäßigung in einem Land. Preisregelungen sind Daten, keine Rechtsberatung. Lesen Sie das Gesetz jeder nicht geprüften Regelung, bevor Sie eine Ermäßigung bekannt geben.',
  act: 'Gesetz',
  noAct: 'kein Gesetz, für diesen Shop gewählt',
  yes: 'ja',
  unverified: 'nicht geprüft',
  unverifiedHint:
    'Nicht geprüft: Der Gesetzestext wurde nicht gelesen, oder das Gesetz erlaubt die Regeln unten nicht. Prüfen Sie sie, bevor Sie eine Ermäßigung bekannt geben.',
  no: 'nein',
  chosenSince: (moment) => `Dieser Shop hat seine Regeln am ${moment} gewählt.`,
  rules: 'Regeln',
  country: 'Land',
  createHint:
    'Länder ohne Preisregelung. Wenn Sie keine Regel ändern, gilt das Gesetz des Landes oder die Richtlinie.',
  daysHint: 'Der niedrigste Preis dieser Tage vor einer Ermäßigung ist ihr vorheriger Preis.',
  series: {
    none: 'Jede Ermäßigung hat einen eigenen',
    increasing_uninterrupted: 'Gemeinsam, solange eine Ermäßigung steigt',
    successive_within: 'Gemeinsam für Ermäßigungen ohne Lücke',
  },
  within: (days) => `Gemeinsam für Ermäßigungen ohne Lücke, innerhalb von ${days} Tagen`,
  permitted: (series) => `Das Gesetz erlaubt auch: ${series}.`,
  seriesDaysHint: 'Von der ersten bis zur letzten Ermäßigung. Leer: kein Maximum.',
  newerGoods: {
    since_launch: 'Niedrigster seit ihrem ersten Preis',
    state_period: 'Niedrigster seit ihrem ersten Preis; der Shop gibt den Zeitraum an',
    not_announced: 'Kein vorheriger Preis',
  },
  perishables: {
    same: 'Wie alle Waren',
    exempt: 'Kein vorheriger Preis',
    first_reduction: 'Preis vor ihrer ersten Ermäßigung',
  },
  notPermitted:
    'Diese Regeln sind nicht die des Gesetzes, und die Serie ist keine, die das Gesetz erlaubt. Die Preisregelung gilt dann als nicht geprüft.',
  fromNowOn:
    'Die Regeln gelten ab jetzt, innerhalb einer Minute. Frühere Preise behalten die Regeln ihrer Zeit.',
  readOnly: 'Ihr Token darf Preisregelungen lesen, aber nicht wählen.',
  asAct: 'Nach Gesetz',
  remove: 'Keine Preisregelung',
  removeQuestion: 'Keine Preisregelung für dieses Land wählen?',
  removeHint:
    'Ab jetzt haben Preise in diesem Land keinen vorherigen Preis, und ihre Ermäßigungen werden nicht geprüft. Sie können später wieder eine Preisregelung wählen.',
}

const french: typeof english = {
  title: (country) => `Politique de prix : ${country}`,
  advice:
    'Une politique calcule le prix antérieur d’une réduction dans un pays. Les politiques sont des données, pas un conseil juridique. Lisez la loi de chaque politique non vérifiée avant d’annoncer une réduction.',
  act: 'Loi',
  noAct: 'aucune loi, choisie pour cette boutique',
  yes: 'oui',
  unverified: 'non vérifiée',
  unverifiedHint:
    'Non vérifiée : le texte de la loi n’a pas été lu, ou la loi ne permet pas les règles ci-dessous. Vérifiez-les avant d’annoncer une réduction.',
  no: 'non',
  chosenSince: (moment) => `Cette boutique a choisi ses règles le ${moment}.`,
  rules: 'Règles',
  country: 'Pays',
  createHint:
    'Les pays sans politique. Si vous ne changez aucune règle, la loi du pays s’applique, ou la directive.',
  daysHint: 'Le prix le plus bas de ces jours avant une réduction est son prix antérieur.',
  series: {
    none: 'Propre à chaque réduction',
    increasing_uninterrupted: 'Commun tant qu’une réduction augmente',
    successive_within: 'Commun aux réductions sans interruption',
  },
  within: (days) => `Commun aux réductions sans interruption, en ${days} jours`,
  permitted: (series) => `La loi permet aussi : ${series}.`,
  seriesDaysHint: 'De la première réduction à la dernière. Vide : aucun maximum.',
  newerGoods: {
    since_launch: 'Le plus bas depuis leur premier prix',
    state_period: 'Le plus bas depuis leur premier prix ; la boutique indique la période',
    not_announced: 'Pas de prix antérieur',
  },
  perishables: {
    same: 'Comme tous les produits',
    exempt: 'Pas de prix antérieur',
    first_reduction: 'Prix avant leur première réduction',
  },
  notPermitted:
    'Ces règles ne sont ni celles de la loi, ni une série que la loi permet. La politique n’est alors pas vérifiée.',
  fromNowOn:
    'Les règles s’appliquent dès maintenant, en moins d’une minute. Les prix passés gardent les règles de leur époque.',
  readOnly: 'Votre jeton permet de lire les politiques, mais pas de les choisir.',
  asAct: 'Selon la loi',
  remove: 'Aucune politique',
  removeQuestion: 'Choisir de n’avoir aucune politique pour ce pays ?',
  removeHint:
    'Dès maintenant, les prix de ce pays n’ont pas de prix antérieur, et leurs réductions ne sont pas vérifiées. Vous pourrez choisir une politique plus tard.',
}

export const usePolicyWords = () => useTexts({ en: english, de: german, fr: french })

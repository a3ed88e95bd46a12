/** The texts of the import of a file, which are loaded with its page. */
import type { Column, LayoutName } from '../../local/import/columns.ts'
import { useTexts } from '../core/i18n.ts'

const english = {
  title: 'Import products',
  intro:
    'A CSV file becomes products with variants and prices. A check shows the changes before anything is written.',
  drop: 'Drop a CSV or TSV file here',
  choose: 'Choose a file',
  otherFile: 'Choose another file',
  limits: 'A file has at most 50 MB and 100,000 rows.',
  noColumns: 'The first line of the file has no names of columns.',
  reading: 'The file is read…',
  opened: (name: string, rows: number, encoding: string) =>
    `${name}: ${rows.toLocaleString('en')} ${rows === 1 ? 'row' : 'rows'}, ${encoding}`,
  layout: 'Layout of the file',
  layouts: {
    sheet: 'Own columns',
    shopify: 'Shopify, and the export of this catalogue',
    woocommerce: 'WooCommerce',
    'google-merchant': 'Google Merchant',
    prestashop: 'PrestaShop',
    medusa: 'Medusa',
    magento: 'Magento',
    akeneo: 'Akeneo',
    bigcommerce: 'BigCommerce',
  } satisfies Record<LayoutName, string> as Record<LayoutName, string>,
  channel: 'Channel of the prices',
  currency: 'Currency',
  decimalComma: 'Amounts have a decimal comma (19,90)',
  columns: 'Columns of the file',
  column: 'Column',
  example: 'First value',
  field: 'Imported as',
  fieldOf: (column: string) => `Imported as, column ${column}`,
  notImported: 'Not imported',
  several: (fields: readonly string[]) => fields.join(' + '),
  needsKey:
    'Choose the column of the handle or of the title. Rows with the same one are variants of one product.',
  needsHandle: 'Choose the column of the handle. Rows with the same one are variants of one product.',
  fields: {
    handle: 'Handle',
    title: 'Title',
    description: 'Description',
    vendor: 'Vendor',
    productType: 'Product type',
    tags: 'Tags',
    published: 'Published',
    status: 'Status',
    option1Name: 'Name of option 1',
    option1Value: 'Value of option 1',
    option2Name: 'Name of option 2',
    option2Value: 'Value of option 2',
    option3Name: 'Name of option 3',
    option3Value: 'Value of option 3',
    sku: 'SKU',
    barcode: 'Barcode',
    grams: 'Weight in grams',
    weightUnit: 'Unit of the weight',
    measure: 'Content',
    measureUnit: 'Unit of the content',
    price: 'Price',
    compareAt: 'Compare-at price',
    imageSrc: 'Picture',
    imagePosition: 'Position of the picture',
    imageAlt: 'Alternative text of the picture',
    variantImage: 'Picture of the variant',
    seoTitle: 'SEO title',
    seoDescription: 'SEO description',
  } satisfies Record<Column, string> as Record<Column, string>,
  check: 'Check the file',
  linkFirst: (products: number) =>
    products === 1
      ? 'One product of the catalogue has no external id. The import gives it one, by which it finds the product, before the check.'
      : `${products} products of the catalogue have no external id. The import gives them one, by which it finds the products, before the check.`,
  link: 'Give external ids and check',
  steps: {
    read: 'The file is read',
    find: 'Products are looked up',
    prices: 'Prices are looked up',
    check: 'The file is checked',
    import: 'Products are imported',
    undo: 'The import is undone',
  },
  progress: (done: number, of: number) => `${done.toLocaleString('en')} of ${of.toLocaleString('en')}`,
  cancel: 'Cancel',
  cancelled: 'The import is cancelled.',
  would: ({ created, changed, unchanged, rejected }: Counts) =>
    `${created} would be created, ${changed} changed, ${unchanged} unchanged, ${rejected} rejected.`,
  did: ({ created, changed, unchanged, rejected }: Counts) =>
    `${created} created, ${changed} changed, ${unchanged} unchanged, ${rejected} rejected.`,
  left: (products: number) => `${products} were not imported before the cancellation.`,
  run: (products: number) => (products === 1 ? 'Import one product' : `Import ${products} products`),
  rejected: 'Rejected rows',
  line: 'Line',
  product: 'Product',
  reason: 'Reason',
  more: (rows: number) => `and ${rows} more`,
  whole: 'A product is imported whole or not at all, so the file has all rows of each rejected product.',
  download: 'Download the rejected rows',
  undo: 'Undo the import',
  undone: (done: number, left: number) =>
    `${done} restored.${left > 0 ? ` ${left} stay, because others changed them later.` : ''}`,
}

type Counts = {
  readonly created: number
  readonly changed: number
  readonly unchanged: number
  readonly rejected: number
}

const french: typeof english = {
  title: 'Importer des produits',
  intro:
    'Un fichier CSV devient des produits avec leurs variantes et leurs prix. Une vérification montre les modifications avant toute écriture.',
  drop: 'Déposez un fichier CSV ou TSV ici',
  choose: 'Choisir un fichier',
  otherFile: 'Choisir un autre fichier',
  limits: 'Un fichier a au plus 50 Mo et 100 000 lignes.',
  noColumns: 'La première ligne du fichier n’a pas de noms de colonnes.',
  reading: 'Lecture du fichier…',
  opened: (name, rows, encoding) =>
    `${name} : ${rows.toLocaleString('fr')} ${rows === 1 ? 'ligne' : 'lignes'}, ${encoding}`,
  layout: 'Disposition du fichier',
  layouts: { ...english.layouts, sheet: 'Colonnes libres', shopify: 'Shopify, et l’export de ce catalogue' },
  channel: 'Canal des prix',
  currency: 'Devise',
  decimalComma: 'Les montants ont une virgule décimale (19,90)',
  columns: 'Colonnes du fichier',
  column: 'Colonne',
  example: 'Première valeur',
  field: 'Importée comme',
  fieldOf: (column) => `Importée comme, colonne ${column}`,
  notImported: 'Non importée',
  several: (fields) => fields.join(' + '),
  needsKey:
    'Choisissez la colonne de l’identifiant lisible ou du titre. Les lignes qui ont le même sont les variantes d’un produit.',
  needsHandle:
    'Choisissez la colonne de l’identifiant lisible. Les lignes qui ont le même sont les variantes d’un produit.',
  fields: {
    handle: 'Identifiant lisible',
    title: 'Titre',
    description: 'Description',
    vendor: 'Marque',
    productType: 'Type de produit',
    tags: 'Étiquettes',
    published: 'Publié',
    status: 'Statut',
    option1Name: 'Nom de l’option 1',
    option1Value: 'Valeur de l’option 1',
    option2Name: 'Nom de l’option 2',
    option2Value: 'Valeur de l’option 2',
    option3Name: 'Nom de l’option 3',
    option3Value: 'Valeur de l’option 3',
    sku: 'Référence (SKU)',
    barcode: 'Code-barres',
    grams: 'Poids en grammes',
    weightUnit: 'Unité du poids',
    measure: 'Contenu',
    measureUnit: 'Unité du contenu',
    price: 'Prix',
    compareAt: 'Prix barré',
    imageSrc: 'Image',
    imagePosition: 'Position de l’image',
    imageAlt: 'Texte de remplacement de l’image',
    variantImage: 'Image de la variante',
    seoTitle: 'Titre SEO',
    seoDescription: 'Description SEO',
  },
  check: 'Vérifier le fichier',
  linkFirst: (products) =>
    products === 1
      ? 'Un produit du catalogue n’a pas d’identifiant externe. L’import lui en donne un avant la vérification, pour le retrouver.'
      : `${products} produits du catalogue n’ont pas d’identifiant externe. L’import leur en donne un avant la vérification, pour les retrouver.`,
  link: 'Donner les identifiants et vérifier',
  steps: {
    read: 'Lecture du fichier',
    find: 'Recherche des produits',
    prices: 'Recherche des prix',
    check: 'Vérification du fichier',
    import: 'Import des produits',
    undo: 'Annulation de l’import',
  },
  progress: (done, of) => `${done.toLocaleString('fr')} sur ${of.toLocaleString('fr')}`,
  cancel: 'Annuler',
  cancelled: 'L’import est annulé.',
  would: ({ created, changed, unchanged, rejected }) =>
    `À créer : ${created}, à modifier : ${changed}, inchangés : ${unchanged}, refusés : ${rejected}.`,
  did: ({ created, changed, unchanged, rejected }) =>
    `Créés : ${created}, modifiés : ${changed}, inchangés : ${unchanged}, refusés : ${rejected}.`,
  left: (products) => `Non importés avant l’annulation : ${products}.`,
  run: (products) => (products === 1 ? 'Importer un produit' : `Importer ${products} produits`),
  rejected: 'Lignes refusées',
  line: 'Ligne',
  product: 'Produit',
  reason: 'Raison',
  more: (rows) => `et ${rows} de plus`,
  whole:
    'Un produit est importé en entier ou pas du tout : le fichier a donc toutes les lignes de chaque produit refusé.',
  download: 'Télécharger les lignes refusées',
  undo: 'Annuler l’import',
  undone: (done, left) =>
    `${done} rétabli${done > 1 ? 's' : ''}.${left > 0 ? ` ${left} restent, car d’autres les ont modifiés depuis.` : ''}`,
}

export const useImportWords = () => useTexts({ en: english, fr: french })

import { declareProblems } from '../../core/problem.ts'

/** The problems of operations on variants. */
export const variantProblems = declareProblems('variant', {
  not_found: {
    code: 'VAR-1001',
    status: 404,
    description: 'No variant of this product has this id. An id of another tenant answers the same.',
    message: {
      'en-US': 'The variant {id} does not exist.',
      'fr-FR': 'La variante {id} n’existe pas.',
      'de-DE': 'Die Variante {id} existiert nicht.',
      'es-ES': 'La variante {id} no existe.',
    },
  },
  sku_taken: {
    code: 'VAR-1002',
    status: 409,
    description:
      'Another variant that is not archived has this SKU, on this or another product. Send another one, or archive that variant.',
    message: {
      'en-US': 'Another variant already has the SKU “{sku}”.',
      'fr-FR': 'Une autre variante possède déjà la référence (SKU) « {sku} ».',
      'de-DE': 'Eine andere Variante hat bereits die Artikelnummer (SKU) „{sku}“.',
      'es-ES': 'Otra variante ya tiene la referencia (SKU) «{sku}».',
    },
  },
  combination_exists: {
    code: 'VAR-1003',
    status: 409,
    description:
      'Another active variant of the product has the same option values. Send other values, or change the variant that has these.',
    message: {
      'en-US': 'This product already has a variant with this combination of options.',
      'fr-FR': 'Ce produit possède déjà une variante avec cette combinaison d’options.',
      'de-DE': 'Dieses Produkt hat bereits eine Variante mit dieser Kombination von Optionen.',
      'es-ES': 'Este producto ya tiene una variante con esta combinación de opciones.',
    },
  },
  option_values_incomplete: {
    code: 'VAR-1004',
    status: 422,
    description:
      'optionValues does not have exactly one value for each option of the product. Send one value per option.',
    message: {
      'en-US': 'Please choose exactly one value for each option of the product.',
      'fr-FR': 'Veuillez choisir exactement une valeur pour chaque option du produit.',
      'de-DE': 'Bitte wählen Sie für jede Option des Produkts genau einen Wert.',
      'es-ES': 'Elija exactamente un valor para cada opción del producto.',
    },
  },
  option_value_foreign: {
    code: 'VAR-1005',
    status: 422,
    description:
      'The option value belongs to an option of another product. Send a value of an option of this product.',
    message: {
      'en-US': 'This option value does not belong to this product.',
      'fr-FR': 'Cette valeur d’option n’appartient pas à ce produit.',
      'de-DE': 'Dieser Optionswert gehört nicht zu diesem Produkt.',
      'es-ES': 'Este valor de opción no pertenece a este producto.',
    },
  },
  limit: {
    code: 'VAR-1006',
    status: 422,
    description:
      'The product already has as many active variants as a product can have. Archive some before adding others.',
    message: {
      'en-US': 'A product cannot have any more variants. Maximum: {maximum}.',
      'fr-FR': 'Le nombre maximal de variantes par produit est atteint : {maximum}.',
      'de-DE': 'Die Höchstanzahl der Varianten eines Produkts ist erreicht: {maximum}.',
      'es-ES': 'Se ha alcanzado el número máximo de variantes por producto: {maximum}.',
    },
  },
  archived: {
    code: 'VAR-1007',
    status: 409,
    description:
      'The variant is archived and takes no other write. Restore it first with a PATCH of its status.',
    message: {
      'en-US': 'This variant is archived. Please restore it before making changes.',
      'fr-FR': 'Cette variante est archivée. Veuillez la restaurer avant de la modifier.',
      'de-DE':
        'Diese Variante ist archiviert. Bitte stellen Sie sie wieder her, bevor Sie Änderungen vornehmen.',
      'es-ES': 'Esta variante está archivada. Restáurela antes de modificarla.',
    },
  },
  external_id_taken: {
    code: 'VAR-1008',
    status: 409,
    description:
      'Another variant that is not archived has this externalId. Send another one, or write to that variant.',
    message: {
      'en-US': 'Another variant already has the external ID “{externalId}”.',
      'fr-FR': 'Une autre variante possède déjà l’identifiant externe « {externalId} ».',
      'de-DE': 'Eine andere Variante hat bereits die externe ID „{externalId}“.',
      'es-ES': 'Otra variante ya tiene el identificador externo «{externalId}».',
    },
  },
})

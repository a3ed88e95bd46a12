import type { DemoCatalogue } from './model.ts'

/**
 * Acme, a general store. Channels: `web` (consumers), `pos` (its shops in Paris and Lyon), `wholesale` (businesses,
 * before tax).
 */
export const acme: DemoCatalogue = {
  categories: [
    {
      handle: 'clothing',
      title: { en: 'Clothing', fr: 'Vêtements', de: 'Bekleidung', es: 'Ropa' },
      children: [
        {
          handle: 'tops',
          title: { en: 'Tops', fr: 'Hauts', de: 'Oberteile', es: 'Partes de arriba' },
          children: [
            {
              handle: 't-shirts',
              title: { en: 'T-shirts', fr: 'T-shirts', de: 'T-Shirts', es: 'Camisetas' },
            },
            {
              handle: 'sweatshirts',
              title: { en: 'Sweatshirts', fr: 'Sweats', de: 'Sweatshirts', es: 'Sudaderas' },
            },
          ],
        },
        {
          handle: 'accessories',
          title: { en: 'Accessories', fr: 'Accessoires', de: 'Accessoires', es: 'Complementos' },
          children: [
            { handle: 'bags', title: { en: 'Bags', fr: 'Sacs', de: 'Taschen', es: 'Bolsos' } },
            {
              handle: 'hats-and-socks',
              title: {
                en: 'Hats and socks',
                fr: 'Bonnets et chaussettes',
                de: 'Mützen und Socken',
                es: 'Gorros y calcetines',
              },
            },
          ],
        },
      ],
    },
    {
      handle: 'kitchen',
      title: { en: 'Kitchen', fr: 'Cuisine', de: 'Küche', es: 'Cocina' },
      children: [
        {
          handle: 'coffee-and-tea',
          title: { en: 'Coffee and tea', fr: 'Café et thé', de: 'Kaffee und Tee', es: 'Café y té' },
          description: {
            en: 'Roasted in Nantes every Tuesday.',
            fr: 'Torréfié à Nantes chaque mardi.',
            de: 'Jeden Dienstag in Nantes geröstet.',
            es: 'Tostado en Nantes todos los martes.',
          },
          children: [
            {
              handle: 'coffee-beans',
              title: { en: 'Coffee beans', fr: 'Café en grains', de: 'Kaffeebohnen', es: 'Café en grano' },
            },
            {
              handle: 'brewing',
              title: {
                en: 'Brewing equipment',
                fr: 'Préparation',
                de: 'Kaffeezubereitung',
                es: 'Utensilios para café',
              },
            },
          ],
        },
        {
          handle: 'tableware',
          title: { en: 'Tableware', fr: 'Arts de la table', de: 'Geschirr', es: 'Vajilla' },
        },
      ],
    },
    {
      handle: 'home',
      title: { en: 'Home', fr: 'Maison', de: 'Wohnen', es: 'Hogar' },
      children: [
        {
          handle: 'lighting',
          title: { en: 'Lighting', fr: 'Luminaires', de: 'Beleuchtung', es: 'Iluminación' },
          children: [
            {
              handle: 'table-lamps',
              title: { en: 'Table lamps', fr: 'Lampes à poser', de: 'Tischleuchten', es: 'Lámparas de mesa' },
            },
          ],
        },
        {
          handle: 'textiles',
          title: { en: 'Textiles', fr: 'Linge de maison', de: 'Heimtextilien', es: 'Textiles para el hogar' },
        },
        {
          handle: 'plants',
          title: {
            en: 'Plants and pots',
            fr: 'Plantes et pots',
            de: 'Pflanzen und Töpfe',
            es: 'Plantas y macetas',
          },
        },
      ],
    },
  ],
  products: [
    {
      handle: 'organic-cotton-t-shirt',
      title: {
        en: 'Organic cotton T-shirt',
        fr: 'T-shirt en coton biologique',
        de: 'T-Shirt aus Bio-Baumwolle',
        es: 'Camiseta de algodón ecológico',
      },
      description: {
        en: 'A straight, heavy T-shirt in 220 g/m² cotton, washed before sewing so that it keeps its size.',
        fr: 'Un T-shirt droit et épais en coton de 220 g/m², lavé avant couture pour garder sa taille.',
        de: 'Ein gerade geschnittenes, festes T-Shirt aus Baumwolle mit 220 g/m², vor dem Nähen gewaschen, damit es seine Größe behält.',
        es: 'Una camiseta recta y gruesa de algodón de 220 g/m², lavada antes de coserse para que conserve la talla.',
      },
      seo: {
        title: {
          en: 'Organic cotton T-shirt | Acme',
          fr: 'T-shirt en coton bio | Acme',
          de: 'T-Shirt aus Bio-Baumwolle | Acme',
          es: 'Camiseta de algodón ecológico | Acme',
        },
        description: {
          en: 'Heavy, pre-washed, fairly made.',
          fr: 'Épais, prélavé, équitable.',
          de: 'Fest, vorgewaschen, fair hergestellt.',
          es: 'Gruesa, prelavada y de comercio justo.',
        },
      },
      vendor: 'Acme Basics',
      productType: 'T-shirt',
      tags: ['organic', 'unisex'],
      channels: ['web', 'pos', 'wholesale'],
      categories: ['t-shirts'],
      images: [
        { file: 'organic-cotton-t-shirt-white.jpg', alt: 'White T-shirt, front' },
        { file: 'organic-cotton-t-shirt-navy.jpg', alt: 'Navy T-shirt, front' },
      ],
      sku: 'TEE',
      weight: { value: 210, unit: 'g' },
      options: [
        {
          title: { en: 'Color', fr: 'Couleur', de: 'Farbe', es: 'Color' },
          values: [
            { en: 'White', fr: 'Blanc', de: 'Weiß', es: 'Blanco' },
            { en: 'Navy', fr: 'Bleu marine', de: 'Marineblau', es: 'Azul marino' },
            { en: 'Rust', fr: 'Rouille', de: 'Rostrot', es: 'Óxido' },
          ],
        },
        { title: { en: 'Size', fr: 'Taille', de: 'Größe', es: 'Talla' }, values: ['S', 'M', 'L', 'XL'] },
      ],
      // Rust was not woven wide enough for XL.
      except: [{ Color: 'Rust', Size: 'XL' }],
      offers: [
        { name: 'eur', currency: 'EUR', amount: '24.90' },
        { name: 'switzerland', currency: 'CHF', amount: '29.00', countries: ['CH', 'LI'] },
        {
          name: 'rust-leaves-the-range',
          currency: 'EUR',
          amount: '17.90',
          compareAt: '24.90',
          channel: 'web',
          only: { Color: 'Rust' },
        },
        { name: 'wholesale', currency: 'EUR', amount: '12.40', channel: 'wholesale', taxIncluded: false },
        {
          name: 'wholesale-50',
          currency: 'EUR',
          amount: '10.90',
          channel: 'wholesale',
          minQuantity: 50,
          taxIncluded: false,
        },
      ],
    },
    {
      handle: 'loopback-hoodie',
      title: {
        en: 'Loopback hoodie',
        fr: 'Sweat à capuche molletonné',
        de: 'Kapuzenpullover aus French Terry',
        es: 'Sudadera con capucha',
      },
      description: {
        en: 'A hooded sweatshirt with a double hood and a kangaroo pocket.',
        fr: 'Un sweat à capuche doublée, avec une poche kangourou.',
        de: 'Ein Sweatshirt mit doppelt gelegter Kapuze und Kängurutasche.',
        es: 'Una sudadera con capucha doble y bolsillo canguro.',
      },
      vendor: 'Acme Basics',
      productType: 'Sweatshirt',
      tags: ['unisex', 'winter'],
      channels: ['web', 'pos'],
      categories: ['sweatshirts'],
      images: [{ file: 'loopback-hoodie-grey.jpg', alt: 'Grey hoodie' }],
      sku: 'HOODIE',
      weight: { value: 620, unit: 'g' },
      options: [
        {
          title: { en: 'Color', fr: 'Couleur', de: 'Farbe', es: 'Color' },
          values: [
            { en: 'Grey', fr: 'Gris', de: 'Grau', es: 'Gris' },
            { en: 'Forest green', fr: 'Vert forêt', de: 'Waldgrün', es: 'Verde bosque' },
          ],
        },
        { title: { en: 'Size', fr: 'Taille', de: 'Größe', es: 'Talla' }, values: ['S', 'M', 'L', 'XL'] },
      ],
      offers: [
        { name: 'eur', currency: 'EUR', amount: '69.00' },
        // A promotion to come: it shows as SCHEDULED, and wins on its first day because it has a window.
        {
          name: 'winter-sale',
          currency: 'EUR',
          amount: '49.00',
          compareAt: '69.00',
          window: { from: 14, until: 28 },
        },
        { name: 'united-kingdom', currency: 'GBP', amount: '59.00', countries: ['GB'] },
      ],
    },
    {
      handle: 'canvas-tote-bag',
      title: {
        en: 'Canvas tote bag',
        fr: 'Sac cabas en toile',
        de: 'Einkaufstasche aus Canvas',
        es: 'Bolsa de lona',
      },
      description: {
        en: 'Carries fifteen kilos of vegetables, folds to the size of a book.',
        fr: 'Porte quinze kilos de légumes, se plie au format d’un livre.',
        de: 'Trägt fünfzehn Kilo Gemüse und lässt sich auf Buchgröße zusammenfalten.',
        es: 'Carga quince kilos de verdura y se pliega al tamaño de un libro.',
      },
      vendor: 'Acme Basics',
      productType: 'Bag',
      tags: ['gift', 'organic'],
      channels: ['web', 'pos', 'wholesale'],
      categories: ['bags'],
      images: [{ file: 'canvas-tote-bag.jpg', alt: 'Natural canvas bag' }],
      sku: 'TOTE',
      barcode: '4006381333931',
      weight: { value: 180, unit: 'g' },
      offers: [
        { name: 'eur', currency: 'EUR', amount: '14.00' },
        // Quantity breaks: the more pieces, the lower the price of each.
        { name: 'eur-10', currency: 'EUR', amount: '12.50', minQuantity: 10 },
        { name: 'eur-100', currency: 'EUR', amount: '9.80', minQuantity: 100 },
        {
          name: 'wholesale',
          currency: 'EUR',
          amount: '6.90',
          channel: 'wholesale',
          minQuantity: 20,
          taxIncluded: false,
        },
      ],
    },
    {
      handle: 'merino-beanie',
      title: {
        en: 'Merino beanie',
        fr: 'Bonnet en mérinos',
        de: 'Mütze aus Merinowolle',
        es: 'Gorro de lana merina',
      },
      description: {
        en: 'A fine-knit hat that does not itch.',
        fr: 'Un bonnet en maille fine qui ne gratte pas.',
        de: 'Eine fein gestrickte Mütze, die nicht kratzt.',
        es: 'Un gorro de punto fino que no pica.',
      },
      vendor: 'Nordlys',
      productType: 'Hat',
      tags: ['winter', 'wool'],
      channels: ['web', 'pos'],
      categories: ['hats-and-socks'],
      images: [{ file: 'merino-beanie.jpg', alt: 'Mustard beanie' }],
      sku: 'BEANIE',
      weight: { value: 70, unit: 'g' },
      options: [
        {
          title: { en: 'Color', fr: 'Couleur', de: 'Farbe', es: 'Color' },
          values: [
            { en: 'Mustard', fr: 'Moutarde', de: 'Senfgelb', es: 'Mostaza' },
            { en: 'Charcoal', fr: 'Anthracite', de: 'Anthrazit', es: 'Antracita' },
            { en: 'Off-white', fr: 'Écru', de: 'Naturweiß', es: 'Crudo' },
          ],
        },
      ],
      offers: [
        { name: 'eur', currency: 'EUR', amount: '35.00' },
        {
          name: 'last-of-the-mustard',
          currency: 'EUR',
          amount: '21.00',
          compareAt: '35.00',
          only: { Color: 'Mustard' },
          window: { from: -7, until: 21 },
        },
      ],
    },
    {
      handle: 'hiking-socks',
      title: {
        en: 'Hiking socks',
        fr: 'Chaussettes de randonnée',
        de: 'Wandersocken',
        es: 'Calcetines de senderismo',
      },
      description: {
        en: 'Cushioned heel and toe, two pairs.',
        fr: 'Talon et pointe renforcés, lot de deux paires.',
        de: 'Gepolstert an Ferse und Zehen, zwei Paar.',
        es: 'Talón y puntera acolchados; dos pares.',
      },
      vendor: 'Nordlys',
      productType: 'Socks',
      tags: ['outdoor', 'wool'],
      channels: ['web'],
      categories: ['hats-and-socks'],
      images: [{ file: 'hiking-socks.jpg', alt: 'Two pairs of grey socks' }],
      sku: 'SOCK',
      weight: { value: 140, unit: 'g' },
      options: [
        {
          title: { en: 'Size', fr: 'Pointure', de: 'Schuhgröße', es: 'Número' },
          values: ['36–38', '39–41', '42–44', '45–47'],
        },
      ],
      offers: [
        { name: 'eur', currency: 'EUR', amount: '22.00' },
        { name: 'eur-3', currency: 'EUR', amount: '19.00', minQuantity: 3 },
      ],
    },
    {
      handle: 'house-espresso',
      title: { en: 'House espresso', fr: 'Espresso maison', de: 'Hausespresso', es: 'Espresso de la casa' },
      description: {
        en: 'Chocolate and hazelnut, low acidity. Brazil and Ethiopia.',
        fr: 'Chocolat et noisette, peu d’acidité. Brésil et Éthiopie.',
        de: 'Schokolade und Haselnuss, wenig Säure. Brasilien und Äthiopien.',
        es: 'Chocolate y avellana, poca acidez. Brasil y Etiopía.',
      },
      vendor: 'Quai Ouest',
      productType: 'Coffee',
      tags: ['coffee', 'espresso'],
      channels: ['web', 'pos', 'wholesale'],
      categories: ['coffee-beans'],
      images: [{ file: 'house-espresso.jpg', alt: 'Bag of espresso' }],
      sku: 'ESP',
      weight: { value: 1, unit: 'kg' },
      options: [
        { title: { en: 'Weight', fr: 'Poids', de: 'Gewicht', es: 'Peso' }, values: ['250 g', '1 kg'] },
        {
          title: { en: 'Grind', fr: 'Mouture', de: 'Mahlgrad', es: 'Molienda' },
          values: [
            { en: 'Whole beans', fr: 'En grains', de: 'Ganze Bohnen', es: 'En grano' },
            { en: 'Espresso', fr: 'Espresso', de: 'Espresso', es: 'Espresso' },
            { en: 'Filter', fr: 'Filtre', de: 'Filter', es: 'Filtro' },
          ],
        },
      ],
      offers: [
        { name: 'small', currency: 'EUR', amount: '9.50', only: { Weight: '250 g' } },
        { name: 'large', currency: 'EUR', amount: '32.00', only: { Weight: '1 kg' } },
        { name: 'in-the-shop', currency: 'EUR', amount: '8.90', channel: 'pos', only: { Weight: '250 g' } },
        {
          name: 'cafes-6',
          currency: 'EUR',
          amount: '21.50',
          channel: 'wholesale',
          minQuantity: 6,
          taxIncluded: false,
          only: { Weight: '1 kg' },
        },
      ],
    },
    {
      handle: 'ethiopia-guji',
      title: { en: 'Ethiopia Guji', fr: 'Éthiopie Guji', de: 'Äthiopien Guji', es: 'Etiopía Guji' },
      description: {
        en: 'Washed. Jasmine, bergamot, peach.',
        fr: 'Lavé. Jasmin, bergamote, pêche.',
        de: 'Gewaschen. Jasmin, Bergamotte, Pfirsich.',
        es: 'Lavado. Jazmín, bergamota y melocotón.',
      },
      vendor: 'Quai Ouest',
      productType: 'Coffee',
      tags: ['coffee', 'filter', 'single-origin'],
      channels: ['web', 'pos'],
      categories: ['coffee-beans'],
      images: [{ file: 'ethiopia-guji.jpg', alt: 'Bag of Ethiopia Guji' }],
      sku: 'GUJI',
      weight: { value: 250, unit: 'g' },
      options: [
        {
          title: { en: 'Grind', fr: 'Mouture', de: 'Mahlgrad', es: 'Molienda' },
          values: [
            { en: 'Whole beans', fr: 'En grains', de: 'Ganze Bohnen', es: 'En grano' },
            { en: 'Filter', fr: 'Filtre', de: 'Filter', es: 'Filtro' },
          ],
        },
      ],
      offers: [
        // One harvest's price follows another without a gap: the windows are half open.
        { name: 'last-harvest', currency: 'EUR', amount: '13.50', window: { until: 30 } },
        { name: 'new-harvest', currency: 'EUR', amount: '14.90', window: { from: 30 } },
      ],
    },
    {
      handle: 'pour-over-kettle',
      title: {
        en: 'Pour-over kettle',
        fr: 'Bouilloire col de cygne',
        de: 'Schwanenhalskessel',
        es: 'Hervidor de cuello de cisne',
      },
      description: {
        en: '0.9 litres, holds its temperature for an hour.',
        fr: '0,9 litre, garde sa température une heure.',
        de: '0,9 Liter, hält die Temperatur eine Stunde lang.',
        es: '0,9 litros; mantiene la temperatura durante una hora.',
      },
      vendor: 'Kettleworks',
      productType: 'Kettle',
      tags: ['coffee', 'electric'],
      channels: ['web'],
      categories: ['brewing'],
      images: [{ file: 'pour-over-kettle.jpg', alt: 'Black kettle' }],
      sku: 'KETTLE',
      weight: { value: 1.3, unit: 'kg' },
      options: [
        {
          title: { en: 'Plug', fr: 'Prise', de: 'Stecker', es: 'Enchufe' },
          values: [
            { en: 'EU', fr: 'UE', de: 'EU', es: 'UE' },
            { en: 'UK', fr: 'Royaume-Uni', de: 'Großbritannien', es: 'Reino Unido' },
          ],
        },
      ],
      offers: [
        { name: 'eur', currency: 'EUR', amount: '149.00', only: { Plug: 'EU' } },
        { name: 'gbp', currency: 'GBP', amount: '129.00', countries: ['GB'], only: { Plug: 'UK' } },
        // A price that the manufacturer imposes: priority wins over everything more exact.
        {
          name: 'price-guarantee',
          currency: 'EUR',
          amount: '139.00',
          compareAt: '149.00',
          priority: 100,
          window: { from: -1, until: 6 },
          only: { Plug: 'EU' },
        },
      ],
    },
    {
      handle: 'stoneware-mug',
      title: { en: 'Stoneware mug', fr: 'Mug en grès', de: 'Becher aus Steinzeug', es: 'Taza de gres' },
      description: {
        en: 'Thrown by hand, safe in the dishwasher.',
        fr: 'Tourné à la main, passe au lave-vaisselle.',
        de: 'Von Hand gedreht, spülmaschinenfest.',
        es: 'Torneada a mano y apta para el lavavajillas.',
      },
      vendor: 'Atelier Brume',
      productType: 'Mug',
      tags: ['ceramic', 'gift', 'handmade'],
      channels: ['web', 'pos'],
      categories: ['tableware', 'coffee-and-tea'],
      images: [{ file: 'stoneware-mug.jpg', alt: 'Blue mug' }],
      sku: 'MUG',
      weight: { value: 380, unit: 'g' },
      options: [
        {
          title: { en: 'Glaze', fr: 'Émail', de: 'Glasur', es: 'Esmalte' },
          values: [
            { en: 'Sea blue', fr: 'Bleu mer', de: 'Meerblau', es: 'Azul mar' },
            { en: 'Sand', fr: 'Sable', de: 'Sand', es: 'Arena' },
          ],
        },
      ],
      offers: [
        { name: 'eur', currency: 'EUR', amount: '18.00' },
        { name: 'set-of-4', currency: 'EUR', amount: '15.50', minQuantity: 4 },
        { name: 'united-states', currency: 'USD', amount: '24.00', countries: ['US'], taxIncluded: false },
      ],
    },
    {
      handle: 'brass-desk-lamp',
      title: {
        en: 'Brass desk lamp',
        fr: 'Lampe de bureau en laiton',
        de: 'Schreibtischleuchte aus Messing',
        es: 'Lámpara de escritorio de latón',
      },
      description: {
        en: 'Turns, tilts and dims; the bulb is included.',
        fr: 'Orientable et à intensité variable ; ampoule fournie.',
        de: 'Dreh-, neig- und dimmbar; das Leuchtmittel ist dabei.',
        es: 'Giratoria, inclinable y regulable; bombilla incluida.',
      },
      vendor: 'Lumen & Fils',
      productType: 'Lamp',
      tags: ['electric', 'office'],
      channels: ['web', 'pos'],
      categories: ['table-lamps'],
      images: [{ file: 'brass-desk-lamp.jpg', alt: 'Desk lamp in brass' }],
      sku: 'LAMP',
      barcode: '5901234123457',
      weight: { value: 2.4, unit: 'kg' },
      offers: [
        { name: 'eur', currency: 'EUR', amount: '129.00' },
        // A promotion that is over: it shows as EXPIRED.
        {
          name: 'autumn-sale',
          currency: 'EUR',
          amount: '99.00',
          compareAt: '129.00',
          window: { from: -40, until: -10 },
        },
        {
          name: 'black-week',
          currency: 'EUR',
          amount: '109.00',
          compareAt: '129.00',
          channel: 'web',
          window: { from: -2, until: 5 },
        },
        {
          name: 'black-week-france',
          currency: 'EUR',
          amount: '105.00',
          compareAt: '129.00',
          channel: 'web',
          countries: ['FR'],
          window: { from: -2, until: 5 },
        },
      ],
    },
    {
      handle: 'linen-bed-set',
      title: {
        en: 'Linen bed set',
        fr: 'Parure de lit en lin',
        de: 'Bettwäsche aus Leinen',
        es: 'Juego de cama de lino',
      },
      description: {
        en: 'A duvet cover and two pillowcases.',
        fr: 'Une housse de couette et deux taies.',
        de: 'Ein Bettbezug und zwei Kissenbezüge.',
        es: 'Una funda nórdica y dos fundas de almohada.',
      },
      vendor: 'Maison Lin',
      productType: 'Bed linen',
      tags: ['linen'],
      channels: ['web'],
      categories: ['textiles'],
      images: [{ file: 'linen-bed-set.jpg', alt: 'Bed made with linen' }],
      sku: 'BED',
      weight: { value: 1.9, unit: 'kg' },
      options: [
        {
          title: { en: 'Size', fr: 'Dimensions', de: 'Maße', es: 'Medidas' },
          values: ['140 × 200', '240 × 220'],
        },
        {
          title: { en: 'Color', fr: 'Couleur', de: 'Farbe', es: 'Color' },
          values: [
            { en: 'Clay', fr: 'Argile', de: 'Ton', es: 'Arcilla' },
            { en: 'Chalk', fr: 'Craie', de: 'Kreide', es: 'Tiza' },
          ],
        },
      ],
      offers: [
        { name: 'single', currency: 'EUR', amount: '179.00', only: { Size: '140 × 200' } },
        {
          name: 'double',
          currency: 'EUR',
          amount: '249.00',
          compareAt: '279.00',
          only: { Size: '240 × 220' },
        },
      ],
    },
    {
      handle: 'terracotta-pot',
      title: {
        en: 'Terracotta pot',
        fr: 'Pot en terre cuite',
        de: 'Terrakottatopf',
        es: 'Maceta de terracota',
      },
      description: {
        en: 'With its saucer; frost-proof.',
        fr: 'Avec sa soucoupe ; résiste au gel.',
        de: 'Mit Untersetzer; frostfest.',
        es: 'Con plato; resistente a las heladas.',
      },
      vendor: 'Atelier Brume',
      productType: 'Pot',
      tags: ['garden', 'handmade'],
      channels: ['web', 'pos'],
      categories: ['plants'],
      images: [{ file: 'terracotta-pot.jpg', alt: 'Three pots' }],
      sku: 'POT',
      weight: { value: 1.2, unit: 'kg' },
      options: [
        {
          title: { en: 'Diameter', fr: 'Diamètre', de: 'Durchmesser', es: 'Diámetro' },
          values: ['14 cm', '20 cm', '30 cm'],
        },
      ],
      offers: [
        { name: '14-cm', currency: 'EUR', amount: '9.00', only: { Diameter: '14 cm' } },
        { name: '20-cm', currency: 'EUR', amount: '16.00', only: { Diameter: '20 cm' } },
        { name: '30-cm', currency: 'EUR', amount: '34.00', only: { Diameter: '30 cm' } },
      ],
    },
    {
      handle: 'gift-box',
      title: { en: 'Gift box', fr: 'Coffret cadeau', de: 'Geschenkbox', es: 'Caja de regalo' },
      description: {
        en: 'Being put together: not on sale yet.',
        fr: 'En préparation : pas encore en vente.',
        de: 'Wird gerade zusammengestellt: noch nicht im Verkauf.',
        es: 'En preparación: todavía no está a la venta.',
      },
      vendor: 'Acme',
      productType: 'Gift',
      tags: ['gift'],
      // A draft: seen by those who work on the catalogue, in no channel, already priced.
      status: 'DRAFT',
      channels: [],
      categories: ['tableware'],
      images: [],
      sku: 'GIFT',
      weight: { value: 800, unit: 'g' },
      offers: [{ name: 'eur', currency: 'EUR', amount: '45.00', window: { from: 20 } }],
    },
  ],
}

/**
 * What the researcher's pages do beyond links and forms. Every page is whole without it: each part looks for its
 * element, and does nothing on a page that has none.
 */
export {};

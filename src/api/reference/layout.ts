import { hash } from 'node:crypto';
import { escaped } from '#libs/http/pages/markup.js';
import { SCRIPT } from './script.js';
import { STYLE } from './style.js';

const digest = (text: string): string => `'sha256-${hash('sha256', text, 'base64')}'`;

/** Content security policy of the pages: only their own style and script, and nothing from elsewhere. */
export const POLICY = `default-src 'none'; style-src ${digest(STYLE)}; script-src ${digest(SCRIPT)}; img-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'`;

/**
 * A page of the documentation. It is complete: it loads nothing, and without JavaScript it lacks only the search and
 * the buttons that copy.
 */
export function layout({ title, navigation, main }: { title: string; navigation: string; main: string }): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(title)} · Tenant Operating Platform</title>
<style>${STYLE}</style>
</head>
<body>
<header><a href="/docs">Tenant Operating Platform <span>API reference</span></a>
<form action="/docs" role="search" hidden><input type="search" name="q" placeholder="Search operations" aria-label="Search operations" autocomplete="off"></form></header>
<div class="columns">
<nav aria-label="Areas">${navigation}</nav>
<main>
${main}
</main>
</div>
<script>${SCRIPT}</script>
</body>
</html>
`;
}

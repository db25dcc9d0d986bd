// Builds one HTML file: script and style go into the page, because a report is opened offline, from a mail or a folder.

import { defineConfig, type Plugin } from 'vite';

const inline: Plugin = {
  name: 'inline',
  enforce: 'post',
  generateBundle(_, bundle) {
    const page = bundle['index.html'];
    if (page?.type !== 'asset') throw new Error('no index.html was built');
    let html = String(page.source);
    for (const [name, file] of Object.entries(bundle)) {
      if (file === page) continue;
      const code = file.type === 'chunk' ? file.code : String(file.source);
      const tag =
        file.type === 'chunk'
          ? new RegExp(`<script[^>]*src="[^"]*${name}"[^>]*></script>`)
          : new RegExp(`<link[^>]*href="[^"]*${name}"[^>]*>`);
      const element = file.type === 'chunk' ? '' : `<style>${code}</style>`;
      if (!tag.test(html)) throw new Error(`index.html does not name ${name}`);
      html = html.replace(tag, () => element);
      // Scripts go last: a classic script at the end runs when the data before it have been read.
      if (file.type === 'chunk')
        html = html.replace('</body>', () => `<script>${code.replaceAll('</script', '<\\/script')}</script>\n</body>`);
      delete bundle[name];
    }
    page.source = html;
  },
};

export default defineConfig({
  base: './',
  build: {
    target: 'es2022',
    cssCodeSplit: false,
    modulePreload: false,
    assetsInlineLimit: 1e9,
    chunkSizeWarningLimit: 900,
    rollupOptions: { output: { format: 'iife' } },
  },
  plugins: [inline],
});

// SPDX-License-Identifier: MIT

/// The second part of the page's script: sites, warnings, details and keys.
let pageActions = #"""
    // MARK: Sites and warnings

    const columns = [['site', 'call site'], ['kind', 'operation'], ['label', 'label'], ['total', 'nodes'],
      ['live', 'live'], ['running', 'running'], ['rejected', 'rejected'], ['cancelled', 'cancelled'], ['p50', 'p50'],
      ['p90', 'p90'], ['p99', 'p99'], ['max', 'max']]

    function drawSites() {
      const text = filter.value.trim().toLowerCase()
      const list = data.sites.filter(site => [site.site, site.kind, site.label].join('\n').toLowerCase().includes(text))
      list.sort((left, right) => {
        const [one, two] = [left[sort.key], right[sort.key]]
        const order = typeof one === 'number' ? one - two : String(one ?? '').localeCompare(String(two ?? ''))
        return sort.down ? -order : order
      })
      const table = document.createElement('table')
      const head = element('tr', '', undefined, element('thead', '', undefined, table))
      for (const [key, title] of columns) {
        const cell = element('th', '', title + (sort.key === key ? (sort.down ? ' ▾' : ' ▴') : ''), head)
        cell.onclick = () => sortBy(key)
      }
      const body = element('tbody', '', undefined, table)
      for (const site of list) {
        const row = element('tr', '', undefined, body)
        for (const [key] of columns) {
          const isTime = ['p50', 'p90', 'p99', 'max'].includes(key)
          const cell = element('td', key === 'rejected' && site[key] ? 'rejected' : '', undefined, row)
          cell.textContent = visible(isTime ? (site.max ? duration(site[key]) : '') : site[key] ?? '')
        }
      }
      space.replaceChildren(table)
      count.textContent = list.length + ' call sites'
    }

    function sortBy(key) {
      sort = { key, down: sort.key === key ? !sort.down : !['site', 'kind', 'label'].includes(key) }
      render()
    }

    function drawWarnings() {
      const text = filter.value.trim().toLowerCase()
      const list = data.warnings.filter(one => [one.kind, one.headline, one.name].join('\n').toLowerCase().includes(text))
      const items = list.map(one => {
        const item = element('div', 'warning')
        element('span', one.severity, '▲ ' + one.severity + ' ', item)
        element('strong', '', one.kind, item)
        element('span', '', ' ' + duration(one.age) + ' ', item)
        if (one.node !== null) {
          const link = element('button', 'link', '#' + one.node + ' ' + (one.name ?? ''), item)
          link.onclick = () => choose(nodes.findIndex(node => node.id === one.node), 'Tree')
        }
        for (const part of [one.headline, one.text, one.advice]) element('p', 'dim', part, item)
        return item
      })
      space.replaceChildren(...(items.length ? items : [element('div', 'warning', 'Nothing looks wrong.')]))
      count.textContent = list.length + ' warnings'
    }

    // MARK: Details

    function drawDetail() {
      const node = nodes[chosen]
      if (detail.hidden || !node) return detail.replaceChildren()
      const list = document.createElement('dl')
      const wall = time => time === null ? null : new Date((data.begin + time / 1e9) * 1000).toISOString()
      const facts = [['node', '#' + node.id], ['name', node.name], ['state', node.word],
        ['outcome of the chain', node.outcome], ['value or error', node.summary], ['cancelled by', node.by],
        ['call site', node.file && node.site + '  (' + node.file + ')'], ['function', node.function], ['thread', node.thread],
        ['executor', node.executor], ['made', wall(node.created)], ['queued for', duration(node.wait)],
        ['ran for', duration(node.run)], ['total', duration(node.total)], ['marks', node.marks.join(', ')]]
      for (const [name, text] of facts) if (text) {
        element('dt', '', name, list)
        element('dd', name === 'state' ? node.state : '', text, list)
      }
      detail.replaceChildren(list)
    }

    // MARK: Views and keys

    const tabs = ['Tree', 'Timeline', 'Sites', 'Warnings']
    const nav = document.querySelector('nav')
    tabs.forEach((name, number) => {
      const button = element('button', '', (number + 1) + ' ' + name + (name === 'Warnings' ? ' ' + data.warnings.length : ''), nav)
      button.setAttribute('role', 'tab')
      button.onclick = () => show(name)
    })

    function show(name) {
      tab = name
      view.scrollTop = 0
      render()
    }

    function render() {
      const isRows = tab === 'Tree' || tab === 'Timeline'
      ;[...nav.children].forEach((button, number) => button.setAttribute('aria-selected', tabs[number] === tab))
      view.classList.toggle('narrow', tab === 'Timeline')
      axis.hidden = !isRows
      axis.style.display = isRows ? '' : 'none'
      updateRows()
      if (isRows) { drawAxis(); drawRows() } else {
        space.style.height = ''
        if (tab === 'Sites') drawSites(); else drawWarnings()
      }
      drawDetail()
    }

    function choose(index, name) {
      if (index < 0) return
      if (name) tab = name
      chosen = index
      for (let above = 0; above < index; above++) if (nodes[above].end > index) folded.delete(above)
      updateRows()
      if (!shown.includes(index)) { filter.value = ''; matches = null; chosen = index; updateRows() }
      const top = shown.indexOf(index) * rowHeight
      if (top < view.scrollTop) view.scrollTop = top
      if (top > view.scrollTop + view.clientHeight - 2 * headHeight) view.scrollTop = top - view.clientHeight + 2 * headHeight
      render()
    }

    function move(rows) {
      if (tab === 'Sites' || tab === 'Warnings') {
        view.scrollTop += Math.abs(rows) >= nodes.length ? Math.sign(rows) * view.scrollHeight : rows * rowHeight
        return
      }
      const position = Math.max(0, Math.min(shown.length - 1, shown.indexOf(chosen) + rows))
      if (shown.length) choose(shown[position])
    }

    function fold(isFolded) {
      const node = nodes[chosen]
      if (!node) return
      if (isFolded && (folded.has(chosen) || node.end === chosen + 1)) {
        for (let above = chosen - 1; above >= 0; above--) if (nodes[above].end > chosen) return choose(above)
      } else if (node.end > chosen + 1) {
        if (isFolded) folded.add(chosen); else folded.delete(chosen)
        render()
      }
    }

    function toggleTheme() {
      const isDark = getComputedStyle(document.documentElement).colorScheme === 'dark' ||
        (!document.documentElement.style.colorScheme && matchMedia('(prefers-color-scheme: dark)').matches)
      document.documentElement.style.colorScheme = isDark ? 'light' : 'dark'
    }

    const keys = {
      ArrowDown: () => move(1), j: () => move(1), ArrowUp: () => move(-1), k: () => move(-1),
      PageDown: () => move(20), PageUp: () => move(-20), Home: () => move(-nodes.length), g: () => move(-nodes.length),
      End: () => move(nodes.length), G: () => move(nodes.length), ArrowLeft: () => fold(true), h: () => fold(true),
      ArrowRight: () => fold(false), l: () => fold(false), t: toggleTheme,
      Enter: () => { detail.hidden = !detail.hidden; render() },
      '/': () => filter.focus(), Escape: () => { filter.value = ''; detail.hidden = true; applyFilter() },
      s: () => sortBy(columns[(columns.findIndex(([key]) => key === sort.key) + 1) % columns.length][0]),
      1: () => show('Tree'), 2: () => show('Timeline'), 3: () => show('Sites'), 4: () => show('Warnings'),
    }
    document.addEventListener('keydown', event => {
      if (event.ctrlKey || event.metaKey || event.altKey) return
      if (event.target === filter) {
        if (event.key === 'Escape') { filter.value = ''; applyFilter() }
        if (['Escape', 'Enter', 'ArrowDown'].includes(event.key)) { view.focus(); event.preventDefault() }
        return
      }
      if (event.target.tagName === 'BUTTON' && event.key === 'Enter') return
      const action = keys[event.key]
      if (!action) return
      event.preventDefault()
      action()
    })
    space.addEventListener('click', event => {
      const row = event.target.closest('.row')
      if (!row) return
      const index = Number(row.dataset.index)
      if (event.target.className === 'fold' && nodes[index].end > index + 1) {
        if (folded.has(index)) folded.delete(index); else folded.add(index)
      }
      choose(index)
    })
    space.addEventListener('dblclick', () => { detail.hidden = false; render() })
    view.addEventListener('scroll', () => { if (tab === 'Tree' || tab === 'Timeline') drawRows() })
    addEventListener('resize', render)
    filter.addEventListener('input', applyFilter)
    document.getElementById('theme').onclick = toggleTheme
    document.getElementById('title').textContent = data.title
    render()
    view.focus()
    """#

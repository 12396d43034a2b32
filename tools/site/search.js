/* Words of the box against headings and text of all pages; every word must be there, headings count more. */
(function () {
    var box = document.getElementById("search"), list = document.getElementById("found");
    function find(words) {
        var hits = [];
        carom_index.forEach(function (entry) {
            var head = entry[1].toLowerCase(), text = entry[2].toLowerCase(), score = 0;
            for (var i = 0; i < words.length; i++) {
                var here = (head.indexOf(words[i]) >= 0 ? 10 : 0) + Math.min(text.split(words[i]).length - 1, 5);
                if (!here) return;
                score += here;
            }
            hits.push([score, entry]);
        });
        return hits.sort(function (a, b) { return b[0] - a[0]; }).slice(0, 30);
    }
    box.addEventListener("input", function () {
        var words = box.value.toLowerCase().split(/\s+/).filter(Boolean);
        list.textContent = "";
        if (!words.length) return;
        find(words).forEach(function (hit) {
            var item = document.createElement("li"), link = document.createElement("a"), part = document.createElement("small");
            var at = Math.max(hit[1][2].toLowerCase().indexOf(words[0]) - 40, 0);
            link.href = hit[1][0];
            link.textContent = hit[1][1].trim() + " (" + hit[1][0].replace(/\.html.*/, "") + ")";
            part.textContent = hit[1][2].slice(at, at + 120).replace(at ? /^\S*\s/ : "", "").replace(/\s\S*$/, ""); // whole words
            item.appendChild(link);
            item.appendChild(part);
            list.appendChild(item);
        });
    });
})();

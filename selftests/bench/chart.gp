# SPDX-License-Identifier: GPL-2.0
#
# gnuplot -e "summary='FILE'; output='FILE.svg'" chart.gp: symphony and its
# peers, medians with quartiles. The axis is logarithmic: what is said of these
# figures is ratios, and a quartile may be many times the median.

set terminal svg noenhanced size 900,480 font "sans-serif,13" background "white"
set output output
devices = "pfifo red red_mark codel fq_codel fq cake symphony sym_red"
labels = 'pfifo "red, idle" "red, marks" codel fq_codel fq cake symphony "sym. + red"'
pick(group, device) = sprintf("< awk '$1 == \"%s\" && $2 == \"%s\"' %s", group, device, summary)

set bars 1.5
set title "Time that a packet takes: medians, with the quartiles as bars"
set ylabel "ns a packet, enqueue and dequeue (logarithmic)"
set logscale y
set yrange [1:*]
set grid ytics
set key top left
set xrange [0.4:9.6]
set xtics ()
do for [i = 1:words(devices)] {
	set xtics add (word(labels, i) i)
}
plot for [i = 1:words(devices)] pick("alone", word(devices, i)) \
		using (i - 0.15):6:5:7 with yerrorbars linecolor rgb "#0072b2" pt 7 lw 1.5 \
		title (i == 1 ? "queue of 64 packets" : ""), \
	for [i = 1:words(devices)] pick("alone", word(devices, i)) \
		using (i - 0.2):6:(sprintf("%.0f", $6)) with labels right offset -0.4,0 notitle, \
	for [i = 1:words(devices)] pick("one_by_one", word(devices, i)) \
		using (i + 0.15):6:5:7 with yerrorbars linecolor rgb "#d55e00" pt 5 lw 1.5 \
		title (i == 1 ? "one by one" : ""), \
	for [i = 1:words(devices)] pick("one_by_one", word(devices, i)) \
		using (i + 0.2):6:(sprintf("%.0f", $6)) with labels left offset 0.4,0 notitle
